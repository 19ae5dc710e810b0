"""The analyst's session: collect, pass on, align, train, deliver, pool. No input or output."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from collude.analyst.learning import Learned, Lesson, learn
from collude.analyst.r0_join import JoinState, Opened
from collude.analyst.r1_anchor import CommitState, ConfirmState, RevealState
from collude.analyst.r3_upload import Collected, UploadState
from collude.analyst.r5_deliver import deliveries
from collude.analyst.r6_evaluate import EvaluateState
from collude.analyst.state import Letters, State
from collude.common.errors import ColludeError, DeadlineExceeded, ProtocolViolation, RemoteError
from collude.common.evaluation import ConfusionCounts
from collude.common.ids import ANALYST, Role, Round
from collude.common.protocol import messages as m
from collude.common.protocol.aborts import from_abort
from collude.common.protocol.gate import Gate
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.rounds import RESTARTABLE, OwnWork
from collude.common.protocol.terms import MAX_RESTARTS, MIN_PARTICIPANTS, Terms

_ENTER: Mapping[Round, Callable[[Terms, Any], State]] = {
    Round.JOIN: lambda terms, _: JoinState(terms),
    Round.ANCHOR_COMMIT: CommitState,
    Round.ANCHOR_REVEAL: RevealState,
    Round.ANCHOR_CONFIRM: ConfirmState,
    Round.UPLOAD: UploadState,
    Round.EVALUATE: EvaluateState,
}
"""How each round is entered, from the facts that the round before left."""


class AnalystSession:
    """The analyst in one session. An `Endpoint`: parcels in, messages out.

    Attributes:
        error: why the session was aborted, or None.
        refused: messages that were refused and changed nothing.
        collected: the uploads once all are in, or None.
        learned: model and alignment once trained, or None.
        counts: the pooled counts once all are in, or None.
        left_out: attempt -> why the one before it was ended.
    """

    name = ANALYST

    def __init__(self, terms: Terms, lesson: Lesson) -> None:
        """Stand before the joins."""
        self._terms, self._lesson = terms, lesson
        self._gate = Gate(ANALYST, Role.ANALYST, terms)
        self._state: State = JoinState(terms)
        self._received: dict[str, m.Message] = {}
        self.error: ColludeError | None = None
        self.refused: list[ColludeError] = []
        self.collected: Collected | None = None
        self.learned: Learned | None = None
        self.counts: ConfusionCounts | None = None
        self.left_out: dict[int, ColludeError] = {}
        self._ended: set[bytes] = set()

    @property
    def round(self) -> Round:
        """The round it stands in."""
        return self._gate.round

    @property
    def id(self) -> bytes:
        """What all messages of this session carry; empty before the joins are in."""
        return self._gate.session

    @property
    def terms(self) -> Terms:
        """The terms of the present attempt."""
        return self._terms

    @property
    def deadline(self) -> float | None:
        """When it gives up waiting, in seconds; None when the session is over."""
        return self._gate.deadline

    @property
    def finished(self) -> bool:
        """Whether the session is over, well or not."""
        return self._gate.closed

    @property
    def missing(self) -> tuple[str, ...]:
        """Who has not yet done its part in this round."""
        return tuple(p for p in self._terms.participants if p not in self._received)

    def start(self, now: float) -> Sequence[Outgoing]:
        """Wait for the joins."""
        self._gate.enter(self._gate.round, now)
        return []

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Take one parcel; a refused one changes nothing and its sender is told."""
        try:
            message = self._gate.admit(parcel)
            if isinstance(message, m.Abort):
                return self._quit(from_abort(message, parcel.sender), parcel.sender, now)
            answers = self._check(parcel.sender, message)
        except RemoteError as error:
            self.refused.append(error)
            # What was sent before a restart came is late, not wrong: its sender goes on.
            told = parcel.sender in self._gate.peers and parcel.session not in self._ended
            return self._gate.aborts(error, [parcel.sender] if told else [])
        self._received[parcel.sender] = message
        if self.round is Round.JOIN:  # the period before it ends for all participants at once
            self._gate.hurry(now)
        replies = [self._gate.outgoing(parcel.sender, answer) for answer in answers]
        return replies if self.missing else replies + self._complete(now)

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Do the own work if it is time for it; else give up, and name everybody missing."""
        if self._gate.deadline is None or now < self._gate.deadline:
            return []
        if self._gate.works:
            return self._work(now)
        missing = ", ".join(self.missing)
        late = DeadlineExceeded(
            f"did not do its part in round {self.round}",
            party=missing,
            field="deadline_s",
            expected=f"a message within {self._terms.deadline_s:g} s",
            hint="See that party's log, or raise network.deadline_s.",
        )
        return self._without(self.missing, late, now)

    def give_up(self, error: ColludeError, now: float) -> Sequence[Outgoing]:
        """End the session for a reason from outside, such as an interrupt."""
        return [] if self.finished else self._end(error, now)

    def _quit(self, error: ColludeError, sender: str, now: float) -> list[Outgoing]:
        """Go on without a party that ends its own part; whoever blames another ends it for all."""
        if error.party == sender:
            return self._without((sender,), error, now)
        # An accusation, which nobody here can judge: whose it is must stand beside it.
        error.reason = f"{error.reason}, says {sender}"
        return self._end(error, now, but=sender)

    def _without(self, gone: tuple[str, ...], error: ColludeError, now: float) -> list[Outgoing]:
        """Start the anchor round again without `gone` if the round and the count allow it."""
        terms = self._terms.again(tuple(sorted({*self._terms.left_out, *gone})))
        if (
            self.round not in RESTARTABLE
            or terms.attempt > MAX_RESTARTS
            or len(terms.participants) < MIN_PARTICIPANTS
        ):
            return self._end(error, now)
        self.left_out[terms.attempt] = error
        self._ended.add(self._gate.session)
        restart = m.Restart(terms.attempt, terms.left_out)
        outgoing = [self._gate.outgoing(name, restart) for name in terms.participants]
        outgoing += self._gate.aborts(error, gone)
        self._terms = self._gate.terms = terms
        self._enter(Round.JOIN, None, now)
        return outgoing

    def _check(self, sender: str, message: m.Message) -> Sequence[m.Message]:
        if sender in self._received:
            raise ProtocolViolation(
                f"has already done its part in round {self.round}",
                party=sender,
                field="kind",
                got=type(message).__name__,
            )
        return self._state.check(sender, message)

    def _complete(self, now: float) -> list[Outgoing]:
        messages = {name: self._received[name] for name in self._terms.participants}
        following = self._gate.following(next(iter(messages.values())))
        try:
            step = self._state.complete(messages)
        except ColludeError as error:
            return self._end(error, now)
        self._keep(step.facts)
        return self._go_on(following, step.facts, step.letters, now)

    def _keep(self, facts: object) -> None:
        if isinstance(facts, Opened):
            self._gate.session = facts.session
        if isinstance(facts, ConfusionCounts):
            self.counts = facts
        if isinstance(facts, Collected):
            self.collected = facts

    def _work(self, now: float) -> list[Outgoing]:
        """Do what this round is for; a step of its own, so that no answer waits for it."""
        following = self._gate.following(OwnWork())
        collected = self.collected
        if collected is None:  # pragma: no cover -- the own work comes after the uploads
            return []
        if self.round is Round.DELIVER and self.learned is not None:
            return self._go_on(following, collected.opened, deliveries(self.learned), now)
        try:
            self.learned = learn(collected.uploads, self._lesson)
        except ColludeError as error:
            return self._end(error, now)
        return self._go_on(following, None, {}, now)

    def _go_on(
        self, following: Round, facts: object, letters: Letters, now: float
    ) -> list[Outgoing]:
        outgoing = [self._gate.outgoing(name, letter) for name, letter in letters.items()]
        self._enter(following, facts, now)
        return outgoing

    def _enter(self, round_: Round, facts: object, now: float) -> None:
        self._received = {}
        self._gate.enter(round_, now)
        if round_ in _ENTER:
            self._state = _ENTER[round_](self._terms, facts)

    def _end(self, error: ColludeError, now: float, but: str | None = None) -> list[Outgoing]:
        self.error = error
        told = [p for p in self._terms.participants if p != but]
        outgoing = self._gate.aborts(error, told)
        self._gate.enter(Round.ABORTED, now)
        return outgoing
