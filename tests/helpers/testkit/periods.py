"""A federation that counts: real sessions of silos and coordinator over a network in memory."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from testkit.network import Between

from collude.codef.coordinator.session import CoordinatorSession
from collude.codef.period import PeriodTerms
from collude.codef.policy import PolicySettings, ReleasePolicy, policy_of
from collude.codef.release import Frozen, MemorySessions
from collude.common.errors import ReleaseRefused
from collude.common.ids import COORDINATOR, Round, participant_name
from collude.common.net.fault_plan import FaultPlan
from collude.common.net.memory import MemoryNetwork
from collude.common.protocol.codec import decode_message
from collude.common.protocol.recorded import Recorded
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy, party_seed
from collude.common.roster import Roster
from collude.common.transcript import MemoryTranscript
from collude.participant.codef.core import SiloCore
from collude.participant.codef.session import SiloSession
from collude.runtime.deviators import deviating

DIGEST = bytes(range(32))
LONGEST_S = 1e6
NO_FAULTS = FaultPlan()
Uses = Callable[[np.ndarray], np.ndarray]


def everything(slots):
    """Answer as much as the lease allows."""
    return slots


def some(rng, share=0.5):
    """Answer each slot with this probability."""
    return lambda slots: rng.binomial(slots, share)


class Answering:
    """Holdings that answer by themselves, as soon as they are leased something.

    Attributes:
        counts: period -> (n,) what is charged.
        answers: period -> (n, levels) how many answers were really given.
    """

    def __init__(self, uses: Uses = everything):
        self.uses = uses
        self.counts: dict[int, np.ndarray] = {}
        self.answers: dict[int, np.ndarray] = {}

    def responder(self, terms, session, key):
        self.counts[terms.period] = np.zeros(terms.persons, dtype=np.int64)
        self.answers[terms.period] = np.zeros((terms.persons, len(terms.policy.levels)), int)
        return _Answerer(terms, self.counts[terms.period], self.answers[terms.period], self.uses)


class _Answerer:
    """Counts as `codef.release.Responder` does: never beyond slots, attributes or the cap."""

    handles = b""

    def __init__(self, terms, counts, answers, uses):
        self._terms, self._counts, self._answers, self._uses = terms, counts, answers, uses
        self._open = False

    def lease(self, levels, slots):
        assert not self._open, "the last lease was not frozen"
        self._open = True
        policy = self._terms.policy
        charge = np.array([policy.charge(int(level)) for level in levels], dtype=np.int64)
        left = np.where(charge > 0, (policy.cap - self._counts) // np.maximum(charge, 1), 0)
        if self._terms.attributes:
            left = np.minimum(left, self._terms.attributes - self._answers.sum(axis=1))
        used = np.minimum(self._uses(np.asarray(slots)), np.maximum(left, 0))
        self._counts += charge * used
        given = levels >= 0
        np.add.at(self._answers, (np.flatnonzero(given), levels[given]), used[given])

    def answer(self, query):
        raise ReleaseRefused("nobody may ask here", party=self._terms.querier, field="query")

    def freeze(self):
        self._open = False
        return Frozen(self._counts.astype(np.uint64), (), ())


class Told:
    """Holdings whose counts a test says: period -> a vector for each epoch."""

    def __init__(self, counts: Mapping[int, Sequence[Sequence[int]]]):
        self._counts = counts

    def responder(self, terms, session, key):
        return _Told([np.array(each, dtype=np.uint64) for each in self._counts[terms.period]])


class _Told:
    handles = b""

    def __init__(self, counts):
        self._counts = list(counts)

    def lease(self, levels, slots):
        pass

    def answer(self, query):
        raise ReleaseRefused("nobody may ask here", party="attacker", field="query")

    def freeze(self):
        return Frozen(self._counts.pop(0), (), ())


class Noted:
    """Holdings that remember every vector, by (period, epoch).

    Attributes:
        inner: what answers.
        frozen: what the silo masks.
        committed: what it committed to: the same, unless it changed that since.
    """

    def __init__(self, inner):
        self.inner = inner
        self.frozen: dict[tuple[int, int], np.ndarray] = {}
        self.committed: dict[tuple[int, int], np.ndarray] = {}

    def responder(self, terms, session, key):
        return _Noter(self.inner.responder(terms, session, key), self, terms.period)


class _Noter:
    def __init__(self, inner, noted, period):
        self._inner, self._noted, self._period, self._epoch = inner, noted, period, 0
        self.lease, self.answer = inner.lease, inner.answer

    @property
    def handles(self):
        return self._inner.handles

    def freeze(self):
        frozen = self._inner.freeze()
        when = self._period, self._epoch
        self._noted.frozen[when] = frozen.counts
        self._noted.committed[when] = frozen.counts.copy()
        self._epoch += 1
        return frozen


class Watched(Between):
    """An endpoint whose shares are noted as they leave: (session, target, which) -> openers."""

    def __init__(self, endpoint, opened, summed):
        super().__init__(endpoint)
        self._opened, self._summed = opened, summed

    def sent(self, outgoing):
        for each in outgoing:
            if each.round == Round.UNMASK and hasattr(
                message := decode_message(each.body), "self_masks"
            ):
                self._summed.append(len(message.self_masks))
                for which in ("self_masks", "mask_keys"):
                    for share in getattr(message, which):
                        self._opened[each.session, share.name, which].add(self.name)
        return outgoing


@dataclass
class Federation:
    """Fresh sessions, what is under them, and what was seen of them.

    Attributes:
        terms: of each period.
        keys: Ed25519, by name.
        silos: sessions by name.
        coordinator: session.
        holdings: what each silo answers from, by name.
        opened: (session, silo, secret) -> silos that sent a share of it.
        summed: how many silos were in each sum that a silo helped to open.
    """

    terms: Sequence[PeriodTerms]
    keys: Mapping[str, SigningKey]
    silos: Mapping[str, SiloSession]
    coordinator: CoordinatorSession
    holdings: Mapping[str, object]
    opened: dict = field(default_factory=lambda: defaultdict(set))
    summed: list = field(default_factory=list)
    notes: dict = field(default_factory=dict)
    transcripts: dict = field(default_factory=dict)
    network: MemoryNetwork | None = None

    @property
    def sessions(self):
        return [self.coordinator, *self.silos.values()]

    @property
    def errors(self):
        return {session.name: session.error for session in self.sessions}

    def named(self, name):
        return self.coordinator if name == COORDINATOR else self.silos[name]

    def true_sum(self, period, epoch, silos):
        """The sum of what these silos committed to and masked."""
        zero = np.zeros(self.terms[period].persons, dtype=np.int64)
        return sum((self.notes[n].frozen[period, epoch].astype(np.int64) for n in silos), zero)

    def received(self, name, kind):
        parcels = self.transcripts[name].parcels
        return [p for p in parcels if isinstance(decode_message(p.body), kind)]


def keys_of(silos, seed=0, others=(COORDINATOR, "attacker")):
    names = [*(participant_name(i) for i in range(silos)), *others]
    made = {n: Entropy(party_seed(seed, n), simulated=True).secret("signing-key") for n in names}
    return {name: SigningKey.from_bytes(secret) for name, secret in made.items()}


@dataclass(frozen=True)
class Shape:
    """What a federation is made of; the defaults are small and quick."""

    silos: int = 4
    persons: int = 6
    epochs: int = 2
    periods: int = 1
    attributes: int = 3
    slots: int = 1
    threshold: int | None = None
    min_silos: int = 3
    deadline_s: float = 3.0
    policy: str | ReleasePolicy = "information"
    numbers: Mapping[str, object] = field(default_factory=dict)
    querier: str | None = None
    uploads: bool = False
    seed: int = 0

    def terms(self, roster) -> list[PeriodTerms]:
        policy = self.policy
        if isinstance(policy, str):
            sizes = (self.persons, self.silos, self.attributes)
            policy = policy_of(PolicySettings(policy, *sizes, **self.numbers))
        least = self.threshold or 2 * self.silos // 3 + 1
        return [
            PeriodTerms(
                roster=roster, scenario_digest=DIGEST, period=period, policy=policy,
                persons=self.persons, attributes=self.attributes, epochs=self.epochs,
                slots_per_lease=self.slots, threshold=least, min_silos=self.min_silos,
                deadline_s=self.deadline_s, querier=self.querier, uploads=self.uploads,
            )
            for period in range(self.periods)
        ]  # fmt: skip


def federation(shape: Shape = Shape(), holdings=None, used=None) -> Federation:
    """Fresh sessions.

    Args:
        shape: of what.
        holdings: name -> what it answers from; by default all that the lease allows.
        used: name -> sessions that it took part in before.
    """
    keys = keys_of(shape.silos, shape.seed)
    terms = shape.terms(Roster.of({name: key.public for name, key in keys.items()}))
    held = {name: (holdings or {}).get(name) or Answering() for name in terms[0].silos}
    silos = {
        name: SiloSession(
            SiloCore(
                name,
                keys[name],
                Entropy(party_seed(shape.seed, name), simulated=True),
                held[name],
                (used or {}).get(name) or MemorySessions(),
            ),
            terms,
        )
        for name in terms[0].silos
    }
    return Federation(terms, keys, silos, CoordinatorSession(terms, keys[COORDINATOR]), held)


def meet(
    fed: Federation,
    *,
    deviators: Mapping[str, str] = {},
    plan: FaultPlan = NO_FAULTS,
    seed: int = 0,
    hands=None,
    record: bool = False,
    until: float = LONGEST_S,
) -> Federation:
    """Run the sessions to their end; what one raises is a defect, and raised here.

    Args:
        fed: fresh.
        deviators: party -> the deviation it runs.
        plan: faults.
        seed: of the network and of deviators.
        hands: party -> wrapper of its endpoint.
        record: keep what everybody received.
        until: simulated seconds.
    """
    endpoints = []
    for session in fed.sessions:
        endpoint, name = session, session.name
        if name in deviators:
            endpoint = deviating(session, deviators[name], np.random.default_rng([seed, 7]))
        if name in fed.silos:
            fed.notes[name] = Noted(session.core.holdings)
            session.core = replace(session.core, holdings=fed.notes[name])
            endpoint = Watched(endpoint, fed.opened, fed.summed)
        if name in (hands or {}):
            endpoint = hands[name](endpoint)
        if record:
            fed.transcripts[name] = MemoryTranscript()
            endpoint = Recorded(endpoint, fed.transcripts[name])
        endpoints.append(endpoint)
    fed.network = MemoryNetwork(endpoints, np.random.default_rng(seed), plan)
    fed.network.run(until)
    for failure in fed.network.failures.values():
        raise failure
    return fed
