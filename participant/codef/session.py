"""A silo's session: periods one after another, with a coordinator and a querier. No I/O."""

from collections.abc import Callable, Sequence

from collude.codef.period import PeriodTerms
from collude.codef.period.leases import Lease
from collude.codef.period.waits import IDLE, WINDOW, silo_wait
from collude.common.errors import (
    ColludeError,
    DeadlineExceeded,
    ProtocolViolation,
    WireInvalid,
)
from collude.common.ids import COORDINATOR, Round
from collude.common.protocol.aborts import from_abort, to_abort
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.codef_messages import Adapt, CommittedPhase
from collude.common.protocol.codef_rounds import EPOCH, SILO
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.messages import Abort
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.release_messages import Query, Window
from collude.participant.codef.book import SiloBook
from collude.participant.codef.c0_join import JoinState
from collude.participant.codef.c2_release import ReleaseState
from collude.participant.codef.c4_aggregate import AggregateState
from collude.participant.codef.c5_adapt import EndState, LeaseState, adapt
from collude.participant.codef.core import SiloCore
from collude.participant.codef.state import State

MOST_REFUSED = 1000
"""Refused messages that are kept; with more than that, one of the coordinator's ends the session.
Others fill half of it at most: a querier cannot use up what the coordinator is forgiven."""


class SiloSession:
    """One silo in successive periods. An `Endpoint`: parcels in, messages out.

    Attributes:
        core: this silo.
        book: of the period under way, once its key is confirmed; its repr shows nothing.
        error: why its part ended early, or None.
        refused: messages that did not belong and changed nothing.
        leases: the last lease of each period that is over.
    """

    def __init__(self, core: SiloCore, periods: Sequence[PeriodTerms]) -> None:
        """Stand before the first join.

        Args:
            core: this silo.
            periods: one or more, of one roster.
        """
        self.core, self._periods = core, list(periods)
        self._terms = self._periods[0]
        self._state: State | None = None
        self.book: SiloBook | None = None
        self._deadline: float | None = None
        self._closes = 0.0
        self._final = Round.DONE
        self.error: ColludeError | None = None
        self.refused: list[ColludeError] = []
        self.leases: list[Lease | None] = []

    @property
    def name(self) -> str:
        """This silo's name."""
        return self.core.name

    @property
    def round(self) -> Round:
        """The round it stands in."""
        return self._state.round if self._state else self._final

    @property
    def deadline(self) -> float | None:
        """When it closes its window or gives up waiting, in seconds."""
        return self._deadline

    @property
    def finished(self) -> bool:
        """Whether all periods are over, well or not."""
        return self._state is None and (self.error is not None or not self._periods)

    def start(self, now: float) -> Sequence[Outgoing]:
        """Join the first period."""
        return self._guarded(lambda: self._join(now))

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Take one parcel; what does not belong is noted in `refused` and changes nothing."""
        if self._state is None:
            return []
        try:
            message = self._admitted(self._state, parcel)
        except (ProtocolViolation, WireInvalid) as error:
            return self._noted(error, parcel.sender)
        if isinstance(message, Abort):
            return self._end(from_abort(message, parcel.sender), tell=False)
        if isinstance(message, Query):
            return self._asked(message, now)
        return self._guarded(lambda: self._take(message, now))

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Close the window, or give up: the coordinator has been silent for too long."""
        state = self._state
        if state is None or self._deadline is None or now < self._deadline:
            return []
        if isinstance(state, ReleaseState):
            return self._guarded(lambda: self._enter(state.close(), now))
        late = DeadlineExceeded(
            f"nothing came in round {state.round}",
            party=COORDINATOR,
            field=f"{state.round}/deadline_s",
            expected=f"an answer within {silo_wait(state.round):g} deadlines",
        )
        return self._end(late, tell=True)

    def give_up(self, error: ColludeError, _now: float) -> Sequence[Outgoing]:
        """End the session for a reason from outside, such as an unreachable coordinator."""
        return [] if self.finished else self._end(error, tell=True)

    # --- what comes ------------------------------------------------------------------------

    def _admitted(self, state: State, parcel: Parcel) -> AnyMessage:
        if parcel.sender not in {COORDINATOR, self._terms.querier}:
            raise ProtocolViolation("is no peer of mine", party=parcel.sender, field="sender")
        message = decode_message(parcel.body, parcel.sender)
        asked = parcel.sender == self._terms.querier
        if isinstance(message, Abort) and not asked:
            return message
        if isinstance(message, Query) != asked or (state.round, type(message)) not in SILO:
            raise ProtocolViolation(
                f"a message does not belong in round {state.round}",
                party=parcel.sender,
                field="kind",
                expected=" or ".join(k.__name__ for r, k in SILO if r is state.round) or "nothing",
                got=type(message).__name__,
            )
        self._check_place(state, parcel, message)
        return message

    def _check_place(self, state: State, parcel: Parcel, message: AnyMessage) -> None:
        session, round_ = state.session, state.round
        if isinstance(message, Adapt | Query):
            session = self.book.session if self.book else b""
            round_ = Round.CODEF_ADAPT if isinstance(message, Adapt) else Round.QUERY
        elif isinstance(message, CommittedPhase):
            round_ = Round.CODEF_COMMIT
        said: list[tuple[str, object, object]] = [
            ("session", session.hex() or "none yet", parcel.session.hex() or "none yet"),
            ("round", round_.value, parcel.round),
        ]
        if isinstance(message, Adapt):
            said.append(("epoch", self._leased_next, message.epoch))
        for field, expected, got in said:
            if expected != got:
                reason = f"a message of another {field}"
                raise ProtocolViolation(
                    reason, party=parcel.sender, field=field, expected=expected, got=got
                )

    @property
    def _leased_next(self) -> int:
        """The epoch that the next lease is for."""
        if self.book is None or isinstance(self._state, LeaseState):
            return 0
        return self.book.epoch + 1

    def _noted(self, error: ColludeError, sender: str) -> Sequence[Outgoing]:
        coordinators = sender == COORDINATOR
        if len(self.refused) < (MOST_REFUSED if coordinators else MOST_REFUSED // 2):
            self.refused.append(error)
            return []
        return self._end(error, tell=True) if coordinators else []

    def _asked(self, query: Query, now: float) -> Sequence[Outgoing]:
        """Answer, or refuse without charging anything; a question never ends the session."""
        state, book = self._state, self.book
        if not isinstance(state, ReleaseState) or book is None:
            late = ProtocolViolation(
                "asks while the window is closed", party=self._terms.querier, field="round"
            )
            return [*self._noted(late, ""), *self._to_querier(Round.ANSWER, self._abort(late))]
        try:
            answer = state.answer(query)
        except ColludeError as error:
            return [*self._noted(error, ""), *self._to_querier(Round.ANSWER, self._abort(error))]
        outgoing = self._to_querier(Round.ANSWER, answer)
        if state.asked_out:
            return [*outgoing, *self._guarded(lambda: self._enter(state.close(), now))]
        self._deadline = min(now + IDLE * self._terms.deadline_s, self._closes)
        return outgoing

    def _take(self, message: AnyMessage, now: float) -> list[Outgoing]:
        state = self._state
        if state is None:  # pragma: no cover -- only called in a round
            return []
        if isinstance(message, Adapt) and self.book is not None and state.round in EPOCH:
            if isinstance(state, AggregateState):
                state.leave()
            return self._enter(adapt(self.book, message, self._leased_next), now)
        return self._enter(state.receive(message), now)

    # --- where it leads --------------------------------------------------------------------

    def _join(self, now: float) -> list[Outgoing]:
        self.book, self._terms = None, self._periods.pop(0)
        return self._enter(JoinState(self.core, self._terms), now)

    def _enter(self, state: State, now: float) -> list[Outgoing]:
        if isinstance(state, EndState):
            return self._over(state, now)
        self._state = state
        if isinstance(state, LeaseState):
            self.book = state.book
        outgoing = [self._outgoing(state, message) for message in state.opening()]
        if isinstance(state, ReleaseState):
            return outgoing + self._opened(state, now)
        self._deadline = now + silo_wait(state.round) * self._terms.deadline_s
        if isinstance(state, AggregateState) and state.receipts is not None:
            outgoing += self._to_querier(Round.RECEIPT, state.receipts)
        return outgoing

    def _opened(self, state: ReleaseState, now: float) -> list[Outgoing]:
        if state.asked_out:
            return self._enter(state.close(), now)
        unit = self._terms.deadline_s
        self._closes = now + WINDOW * unit
        self._deadline = now + IDLE * unit
        return self._to_querier(Round.WINDOW, state.window())

    def _over(self, state: EndState, now: float) -> list[Outgoing]:
        """End the period; go on with the next, if there is one."""
        self.leases.append(state.book.lease)
        closed = Window(state.book.epoch, open=False, handles=b"")
        outgoing = self._to_querier(Round.WINDOW, closed)
        self._state = self._deadline = None
        return [*outgoing, *(self._join(now) if self._periods else [])]

    def _outgoing(self, state: State, message: AnyMessage) -> Outgoing:
        return Outgoing(COORDINATOR, state.round.value, state.session, encode_message(message))

    def _to_querier(self, round_: Round, message: AnyMessage) -> list[Outgoing]:
        querier, book = self._terms.querier, self.book
        if querier is None or book is None:
            return []
        return [Outgoing(querier, round_.value, book.session, encode_message(message))]

    def _abort(self, error: ColludeError) -> Abort:
        return to_abort(error, self.name)

    def _guarded(self, step: Callable[[], list[Outgoing]]) -> Sequence[Outgoing]:
        try:
            return step()
        except ColludeError as error:
            return self._end(error, tell=True)

    def _end(self, error: ColludeError, *, tell: bool) -> list[Outgoing]:
        state, self.error = self._state, error
        if isinstance(state, AggregateState):
            state.leave()
        outgoing: list[Outgoing] = []
        if tell and state is not None:
            outgoing.append(self._outgoing(state, self._abort(error)))
        if self._terms.querier is not None:  # nobody waits for my next window
            session = b"" if self.book is None else self.book.session
            left = encode_message(self._abort(error))
            outgoing.append(Outgoing(self._terms.querier, Round.WINDOW.value, session, left))
        self._state, self._deadline, self._final = None, None, Round.ABORTED
        return outgoing
