"""Sessions joined by the memory network, and a hand that may reach between."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from testkit.federation import Parties

from collude.common.errors import SessionAborted
from collude.common.ids import ANALYST
from collude.common.net.fault_plan import FaultPlan
from collude.common.net.memory import MemoryNetwork
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.messages import Message
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.recorded import Recorded
from collude.common.protocol.signed import TAGS, signed
from collude.common.transcript import MemoryTranscript, transcript_digest

LONGEST_S = 1e5
Sends = Callable[[Outgoing, Message], Iterable[Outgoing]]


@dataclass(frozen=True)
class Liar:
    """A party that rewrites what it sends, and hides from its own session what came of it."""

    sends: Sends
    takes: Callable[[Parcel, Message], Parcel]

    def __call__(self, old: Outgoing, message: Message) -> Iterable[Outgoing]:
        return self.sends(old, message)


class Between:
    """Any endpoint; `sent` sees all that it sends, and says what really goes out."""

    def __init__(self, endpoint):
        self._endpoint, self.name = endpoint, endpoint.name

    @property
    def deadline(self):
        return self._endpoint.deadline

    @property
    def finished(self):
        return self._endpoint.finished

    def start(self, now):
        return self.sent(self._endpoint.start(now))

    def receive(self, parcel, now):
        return self.sent(self._endpoint.receive(parcel, now))

    def expire(self, now):
        return self.sent(self._endpoint.expire(now))

    def sent(self, outgoing: Sequence[Outgoing]) -> Sequence[Outgoing]:
        return outgoing


class Hand(Between):
    """Any endpoint, whose outgoing messages somebody rewrites, drops or repeats.

    A participant signs what it sends in place of the honest message; `key` None: somebody else's
    hand is between, who cannot.
    """

    def __init__(self, endpoint, sends: Sends, key=None):
        super().__init__(endpoint)
        self._sends, self._key = sends, key
        self._takes = getattr(sends, "takes", lambda parcel, _: parcel)

    def receive(self, parcel, now):
        return super().receive(self._takes(parcel, decode_message(parcel.body)), now)

    def sent(self, outgoing: Sequence[Outgoing]) -> list[Outgoing]:
        sent = [new for old in outgoing for new in self._sends(old, decode_message(old.body))]
        return sent if self._key is None else [self._signed(each) for each in sent]

    def _signed(self, outgoing: Outgoing) -> Outgoing:
        message = decode_message(outgoing.body)
        if type(message) not in TAGS:
            return outgoing
        message = signed(message, outgoing.session, self.name, self._key)
        return replace(outgoing, body=encode_message(message))


class Interrupted:
    """A session that somebody ends from outside at a certain time, as Ctrl-C does."""

    def __init__(self, endpoint, session, at: float):
        self._endpoint, self._session, self._at = endpoint, session, at
        self.name, self.start, self.receive = endpoint.name, endpoint.start, endpoint.receive

    @property
    def deadline(self):
        deadline = self._endpoint.deadline
        return deadline if deadline is None else min(deadline, self._at)

    @property
    def finished(self):
        return self._endpoint.finished

    def expire(self, now):
        if now < self._at:
            return self._endpoint.expire(now)
        return self._session.give_up(SessionAborted("was interrupted", party=self.name), now)


def rewrite(kind, change, to=None) -> Sends:
    """Replace each message of class `kind` (to receiver `to`) by change(message).

    None drops it; a tuple sends each of its messages.
    """

    def sends(old: Outgoing, message: Message) -> list[Outgoing]:
        if not isinstance(message, kind) or to not in {None, old.receiver}:
            return [old]
        new = change(message)
        news = new if isinstance(new, tuple) else () if new is None else (new,)
        return [replace(old, body=encode_message(each)) for each in news]

    return sends


@dataclass
class Talk:
    """What came of a run."""

    parties: Parties
    network: MemoryNetwork
    transcripts: dict[str, MemoryTranscript] = field(repr=False)

    @property
    def errors(self):
        """Party -> what ended its session, or None."""
        return {session.name: session.error for session in self.parties.sessions}

    @property
    def digest(self) -> str:
        return transcript_digest([e for t in self.transcripts.values() for e in t.entries])

    def received(self, name, kind=None) -> list[Parcel]:
        parcels = self.transcripts[name].parcels
        return [p for p in parcels if kind is None or isinstance(decode_message(p.body), kind)]


def talk(
    parties: Parties, *, hands=None, plan=None, seed=0, late=(), interrupts=(), sign=True
) -> Talk:
    """Run sessions over the memory network until all are over.

    Args:
        parties: the sessions.
        hands: party -> what happens to its outgoing messages.
        plan: faults; none by default.
        seed: of the network.
        late: parties that never come.
        interrupts: party -> when somebody ends its session from outside.
        sign: the hands have the key of their party.
    """
    keys = {n: s._core.signing_key for n, s in parties.participants.items() if sign}
    transcripts = {s.name: MemoryTranscript() for s in parties.sessions}
    endpoints = [
        Hand(recorded, hands[s.name], keys.get(s.name)) if s.name in (hands or {}) else recorded
        for s in parties.sessions
        for recorded in (Recorded(s, transcripts[s.name]),)
    ]
    at = dict(interrupts)
    endpoints = [
        Interrupted(endpoint, session, at[session.name]) if session.name in at else endpoint
        for endpoint, session in zip(endpoints, parties.sessions, strict=True)
    ]
    crash = dict.fromkeys(late, 0.0) | dict((plan or FaultPlan()).crash)
    network = MemoryNetwork(
        endpoints, np.random.default_rng(seed), replace(plan or FaultPlan(), crash=crash)
    )
    network.run(LONGEST_S)
    for failure in network.failures.values():
        raise failure  # a session raises nothing: this is a defect
    return Talk(parties, network, transcripts)


def by_analyst(sends: Sends) -> dict[str, Sends]:
    return {ANALYST: sends}
