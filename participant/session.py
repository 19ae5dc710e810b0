"""A participant's whole session: the rounds in order, wired in one place. No input or output."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from collude.common.errors import ColludeError, DeadlineExceeded, ProtocolViolation, WireInvalid
from collude.common.ids import ANALYST, Role, Round
from collude.common.protocol import messages as m
from collude.common.protocol.aborts import from_abort
from collude.common.protocol.gate import Gate
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.participant.core import Core
from collude.participant.r0_join import Joined, JoinState
from collude.participant.r1_anchor import CommitState, ConfirmState, RevealState, Seeded
from collude.participant.r3_upload import Uploaded, UploadState
from collude.participant.r5_deliver import Delivered, DeliverState
from collude.participant.r6_evaluate import EvaluateState
from collude.participant.restart import checked_restart
from collude.participant.silo import Silo
from collude.participant.state import State


def _enter_upload(core: Core, silo: Silo, facts: Seeded | Joined) -> State:
    if isinstance(facts, Seeded):
        return UploadState(core, silo, facts.joined.session, facts.seed)
    return UploadState(core, silo, facts.session, None)


def _enter_deliver(core: Core, silo: Silo, facts: Uploaded) -> State:
    return DeliverState(silo.width, core.terms, facts.session)


def _enter_evaluate(core: Core, silo: Silo, facts: Delivered | Joined) -> State:
    if isinstance(facts, Delivered):
        counts = silo.evaluate(facts.model, facts.alignment)
    else:
        counts = silo.evaluate_alone()
    return EvaluateState(core, facts.session, counts)


MOST_REFUSED = 32
"""Messages that do not belong, after which a participant leaves: an honest analyst sends none, and
each is noted and kept."""

_ENTER: Mapping[Round, Callable[[Core, Silo, Any], State]] = {
    Round.JOIN: lambda core, silo, _: JoinState(core, silo.width, silo.anchor_rows),
    Round.ANCHOR_COMMIT: lambda core, _, joined: CommitState(core, joined),
    Round.ANCHOR_REVEAL: lambda core, _, committed: RevealState(core, committed),
    Round.ANCHOR_CONFIRM: lambda core, _, seeded: ConfirmState(core, seeded),
    Round.UPLOAD: _enter_upload,
    Round.DELIVER: _enter_deliver,
    Round.EVALUATE: _enter_evaluate,
}
"""How each round is entered, from the facts that the round before left."""


class ParticipantSession:
    """One participant in one session. An `Endpoint`: parcels in, messages out.

    Attributes:
        error: why the session was aborted, or None.
        refused: messages that did not belong and changed nothing.
    """

    def __init__(self, core: Core, silo: Silo) -> None:
        """Stand before the join."""
        self._core, self._silo = core, silo
        self._gate = Gate(core.name, Role.PARTICIPANT, core.terms)
        self._state: State | None = None
        self.error: ColludeError | None = None
        self.refused: list[ColludeError] = []

    @property
    def name(self) -> str:
        """This participant's name."""
        return self._core.name

    @property
    def round(self) -> Round:
        """The round it stands in."""
        return self._gate.round

    @property
    def deadline(self) -> float | None:
        """When it gives up waiting, in seconds; None when the session is over."""
        return self._gate.deadline

    @property
    def finished(self) -> bool:
        """Whether the session is over, well or not."""
        return self._gate.closed

    def start(self, now: float) -> Sequence[Outgoing]:
        """Join."""
        return self._guarded(lambda: self._enter(self._gate.round, None, now), now)

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Take one parcel; what does not belong is noted in `refused` and changes nothing.

        Of that only so much is borne: else the analyst could keep a participant, and fill its
        disk, for as long as it likes.
        """
        try:
            message = self._gate.admit(parcel)
        except (ProtocolViolation, WireInvalid) as error:
            self.refused.append(error)
            too_many = len(self.refused) > MOST_REFUSED and not self.finished
            return self._end(error, now, tell=True) if too_many else []
        if isinstance(message, m.Abort):
            told = from_abort(message, parcel.sender)
            # Refused myself: say that my part ends, so that nobody waits a deadline for it.
            return self._end(told, now, tell=told.party == self.name)
        return self._guarded(lambda: self._take(message, now), now)

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Give up: the analyst has been silent for too long."""
        if self._gate.deadline is None or now < self._gate.deadline:
            return []
        late = DeadlineExceeded(
            f"nothing came in round {self.round}",
            party=ANALYST,
            field="deadline_s",
            expected=f"an answer within {self._core.terms.deadline_s:g} s",
            hint="See the analyst's log, or raise network.deadline_s.",
        )
        return self._end(late, now, tell=True)

    def give_up(self, error: ColludeError, now: float) -> Sequence[Outgoing]:
        """End the session for a reason from outside, such as an unreachable analyst."""
        return [] if self.finished else self._end(error, now, tell=True)

    def _take(self, message: m.Message, now: float) -> list[Outgoing]:
        if isinstance(message, m.Restart):
            self._core = checked_restart(self._core, message)
            self._gate.terms = self._core.terms
            return self._enter(self._gate.following(message), None, now)
        state = self._state
        if state is None:  # pragma: no cover -- the link starts a session before it feeds it
            return []
        following = self._gate.following(message)
        facts = state.receive(message)
        if isinstance(facts, Joined):
            self._gate.session = facts.session
        return self._enter(following, facts, now)

    def _enter(self, round_: Round, facts: object, now: float) -> list[Outgoing]:
        if round_ is Round.DONE:
            self._state = None
            self._gate.enter(round_, now)
            return []
        state = _ENTER[round_](self._core, self._silo, facts)
        self._gate.enter(round_, now)
        self._state = state
        return [self._gate.outgoing(ANALYST, message) for message in state.opening()]

    def _guarded(self, step: Callable[[], list[Outgoing]], now: float) -> Sequence[Outgoing]:
        try:
            return step()
        except ColludeError as error:
            return self._end(error, now, tell=True)

    def _end(self, error: ColludeError, now: float, *, tell: bool) -> list[Outgoing]:
        self.error = error
        self._state = None
        self._gate.enter(Round.ABORTED, now)
        return self._gate.aborts(error, [ANALYST]) if tell else []
