"""Silos that answer a querier without a coordinator: real answers, receipts and signatures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from collude.attacker.releases.channels import RandomisedResponse
from collude.attacker.releases.knowledge import Knowledge
from collude.attacker.releases.session import QuerierSession
from collude.attacker.releases.strategies import strategy_named
from collude.attacker.releases.strategies.base import Strategy
from collude.attacker.releases.strategies.everybody import Everybody
from collude.attacker.releases.terms import PeriodPlan, QuerierTerms
from collude.codef.ledger import ReleaseTree, sign_entry
from collude.codef.policy import PolicySettings, policy_of
from collude.codef.release import (
    Answerer,
    HandleTable,
    Held,
    MemoryBook,
    Responder,
    handles_of,
    sampler_of,
)
from collude.codef.release.receipts import release_depth
from collude.common.ids import ATTACKER, Round
from collude.common.net.memory import FaultPlan, MemoryNetwork
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.codef_messages import CommitEntry
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.release_messages import Query, Receipts, Window
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy, party_seed

DEADLINE = 3.0


@dataclass
class Game:
    """A population, and the silos that answer about it, for a number of periods."""

    persons: int = 12
    silos: int = 4
    attributes: int = 2
    epochs: int = 2
    slots: int = 1
    epsilon: float = 1.0
    periods: int = 1
    coverage: float = 1.0
    seed: int = 7
    names: tuple[str, ...] = field(init=False)
    bits: list[np.ndarray] = field(init=False)
    present: list[np.ndarray] = field(init=False)

    def __post_init__(self):
        rng = np.random.default_rng(self.seed)
        self.names = tuple(f"participant-{i}" for i in range(self.silos))
        shape = (self.persons, self.silos, self.attributes)
        self.bits = [rng.integers(0, 2, shape, dtype=np.int8) for _ in range(self.periods)]
        self.present = [rng.random(shape[:2]) < self.coverage for _ in range(self.periods)]

    @property
    def settings(self) -> PolicySettings:
        """One level, never withheld for its own sake."""
        return PolicySettings(
            "paper", self.persons, self.silos, self.attributes,
            epsilon=self.epsilon, epsilon_after=self.epsilon / 2,
        )  # fmt: skip

    def key(self, silo: str) -> SigningKey:
        return SigningKey.from_bytes(party_seed(self.seed, silo))

    def handles(self, period: int) -> list[bytes]:
        """By person, of the querier."""
        return handles_of(period.to_bytes(32, "big"), ATTACKER, self.persons)

    def truth(self, period: int = 0) -> np.ndarray:
        """The person of each handle in ascending order."""
        return np.argsort(np.array(self.handles(period), dtype="S16"))

    def knowledge(self, period: int = 0) -> Knowledge:
        known = np.where(self.present[period][:, :, None], self.bits[period], -1)
        levels = policy_of(self.settings).levels
        return Knowledge(self.names, "plain", known, RandomisedResponse(levels))

    def querier(self, strategy: Callable[[], Strategy] = Everybody) -> QuerierSession:
        keys = {name: self.key(name).public for name in self.names}
        plans = [
            PeriodPlan(self.knowledge(p), self.epochs, strategy(), np.random.default_rng(p))
            for p in range(self.periods)
        ]
        return QuerierSession(QuerierTerms(keys, DEADLINE), plans)

    def parties(self, **special: "AnsweringSilo") -> list["AnsweringSilo"]:
        """All silos; a keyword such as `participant_1` puts another in that one's place."""
        others = {name.replace("_", "-"): silo for name, silo in special.items()}
        return [others.get(name) or AnsweringSilo(self, name) for name in self.names]

    def run(
        self,
        session: QuerierSession,
        silos: Sequence["AnsweringSilo"],
        plan: FaultPlan | None = None,
        seed: int = 1,
    ) -> MemoryNetwork:
        rng = np.random.default_rng(seed)
        network = MemoryNetwork([session, *silos], rng, plan or FaultPlan())
        network.run(until=10_000.0)
        return network


class AnsweringSilo:
    """One silo, an `Endpoint`. Its lease is `slots` answers about each person in each epoch.

    What it sends can be changed on the way out: `alter` gets the message and the epoch, and
    returns what is sent instead, or None for nothing.
    """

    def __init__(self, game: Game, name: str, alter: Callable | None = None):
        self.name, self._game, self._alter = name, game, alter or (lambda message, _: message)
        self._key = game.key(name)
        entropy = Entropy(party_seed(game.seed, name), simulated=True)
        self._answerer = Answerer(name, self._key, entropy, MemoryBook())
        self._periods = list(range(game.periods))
        self._responder: Responder | None = None
        self._period = self._epoch = 0
        self.finished, self.deadline = False, None
        self.heard: list[Query] = []
        self.hold: Mapping[str, float] = {}

    @property
    def session(self) -> bytes:
        return bytes([self._period + 1]) * 32

    def start(self, now: float) -> Sequence[Outgoing]:
        return self._begin()

    def expire(self, now: float) -> Sequence[Outgoing]:
        return []

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        query = decode_message(parcel.body, parcel.sender)
        assert parcel.round == Round.QUERY
        assert parcel.session == self.session
        self.heard.append(query)
        out = self._send(Round.ANSWER, self._responder.answer(query, ATTACKER))
        return [*out, *self._close()] if query.last else out

    def _begin(self) -> list[Outgoing]:
        self._period, self._epoch = self._periods.pop(0), 0
        game, period = self._game, self._period
        policy = policy_of(game.settings)
        index = game.names.index(self.name)
        held = Held(period, game.bits[period][:, index], game.present[period][:, index])
        table = HandleTable(period.to_bytes(32, "big"), ATTACKER, game.persons)
        sampler = sampler_of(game.settings, policy.levels)
        self._responder = Responder(self._answerer, held, policy, sampler, [table])
        return self._open(self._responder.handles_for(ATTACKER))

    def _open(self, handles: bytes = b"") -> list[Outgoing]:
        persons = self._game.persons
        levels = np.zeros(persons, dtype=np.int64)
        self._responder.lease(levels, np.full(persons, self._game.slots, dtype=np.int64))
        return self._send(Round.WINDOW, Window(self._epoch, open=True, handles=handles))

    def _close(self) -> list[Outgoing]:
        out = self._send(Round.RECEIPT, self._receipts())
        self._epoch += 1
        if self._epoch < self._game.epochs:
            return [*out, *self._open()]
        out += self._send(Round.WINDOW, Window(self._epoch, open=False, handles=b""))
        if self._periods:
            return [*out, *self._begin()]
        self.finished = True
        return out

    def _receipts(self) -> Receipts:
        frozen, depth = (
            self._responder.freeze(),
            release_depth(self._game.persons, self._game.attributes),
        )
        phase = bytes([self._period, self._epoch]) * 16
        return receipts_made(phase, self.name, self._key, self._epoch, frozen.receipts, depth)

    def _send(self, round_: Round, message) -> list[Outgoing]:
        session = self.session
        altered = self._alter(message, self._epoch)
        if altered is None:
            return []
        return [Outgoing(ATTACKER, round_.value, session, encode_message(altered))]


def receipts_made(
    phase: bytes, silo: str, key: SigningKey, epoch: int, receipts: Sequence[bytes], depth: int
) -> Receipts:
    """Receipts of a phase with this id, of a tree that holds exactly these."""
    tree = ReleaseTree(phase, silo, receipts, depth, bytes([epoch]) * 32)
    entry = sign_entry(key, phase, silo, bytes(32), tree.root)
    proofs = [tree.proof(receipt) for receipt in receipts]
    return Receipts(
        epoch,
        phase,
        CommitEntry(entry.commitment, entry.releases, entry.pedersen, entry.signature),
        np.array([proof.place for proof in proofs], dtype=np.int64),
        b"".join(proof.salt for proof in proofs),
        b"".join(b"".join(proof.siblings) for proof in proofs),
    )


def played(game, *, strategy="everybody", plan=None, seed=1, **special):
    """A session that was run to its end against the game's silos, and these."""
    session = game.querier(lambda: strategy_named(strategy))
    silos = game.parties(**special)
    network = game.run(session, silos, plan, seed)
    assert not network.failures
    assert session.finished
    return session, silos


def altered(game, kind, change, name="participant-1"):
    """A silo that changes what it sends of one kind; `change` gets message and epoch."""

    def alter(message, epoch):
        return change(message, epoch) if isinstance(message, kind) else message

    return AnsweringSilo(game, name, alter)
