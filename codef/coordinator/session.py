"""The coordinator's session: periods one after another, stage by stage. No input or output."""

from collections.abc import Sequence

from collude.codef.coordinator.book import PeriodBook
from collude.codef.coordinator.c0_join import JoinStage
from collude.codef.coordinator.c3_commit import CommitStage
from collude.codef.coordinator.stage import Closed, Letter, Stage
from collude.codef.period import PeriodTerms
from collude.codef.period.waits import JOIN_AGAIN, STRAGGLERS, coordinator_wait
from collude.common.errors import (
    ColludeError,
    DeadlineExceeded,
    PeriodAborted,
    ProtocolViolation,
)
from collude.common.ids import COORDINATOR, Round
from collude.common.protocol.aborts import from_abort, to_abort
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.codef_rounds import SILO_SENDS
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.messages import Abort
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.signing import SigningKey

MOST_REFUSED = 1000
"""Refused messages that are kept; more are counted nowhere."""


class CoordinatorSession:
    """The coordinator in successive periods. An `Endpoint`: parcels in, messages out.

    Attributes:
        signing_key: the coordinator's.
        terms: of the period under way, or of the last one.
        error: why it ended before its time, or None.
        refused: messages that were refused and changed nothing.
        books: of each period that came as far as a confirmed key.
        left: silo -> why it is not waited for any more: silent past a deadline, or it said so.
    """

    name = COORDINATOR

    def __init__(self, periods: Sequence[PeriodTerms], signing_key: SigningKey) -> None:
        """Stand before the first join.

        Args:
            periods: one or more, of one roster.
            signing_key: the coordinator's, as the roster pins it.
        """
        self._periods, self.signing_key = list(periods), signing_key
        self.terms = self._periods[0]
        self._stage: Stage | None = None
        self._came: set[str] = set()
        self._deadline: float | None = None
        self._final = Round.DONE
        self.error: ColludeError | None = None
        self.refused: list[ColludeError] = []
        self.books: list[PeriodBook] = []
        self.left: dict[str, ColludeError] = {}
        self._quit: set[str] = set()

    @property
    def round(self) -> Round:
        """The round it collects; done or aborted at the end."""
        return self._stage.round if self._stage else self._final

    @property
    def deadline(self) -> float | None:
        """When the stage is closed without those who are late, in seconds."""
        return self._deadline

    @property
    def finished(self) -> bool:
        """Whether all periods are over, well or not."""
        return self._stage is None and (self.error is not None or not self._periods)

    def start(self, now: float) -> Sequence[Outgoing]:
        """Open the first period."""
        return self._open(now)

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Take one parcel; what does not belong is noted in `refused` and changes nothing."""
        stage = self._stage
        if stage is None:
            return []
        try:
            message = self._admitted(stage, parcel)
            if isinstance(message, Abort):
                return self._without(parcel.sender, from_abort(message, parcel.sender), now)
            stage.take(parcel.sender, message)
        except ColludeError as error:
            self._note(error)
            self._heard(parcel.sender)
            return []
        self._quit.discard(parcel.sender)
        self._heard(parcel.sender)
        self._came.add(parcel.sender)
        self._hurry(stage, now)
        return self._closed_if_all_came(now)

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Close the stage without those who are late."""
        stage = self._stage
        if stage is None or self._deadline is None or now < self._deadline:
            return []
        for silo in self._waited(stage):
            self.left[silo] = DeadlineExceeded(
                f"nothing came in round {stage.round}",
                party=silo,
                field=f"{stage.round}/deadline_s",
                expected=f"its part within {coordinator_wait(stage.round):g} deadlines",
            )
        return self._close(now)

    def give_up(self, error: ColludeError, _now: float) -> Sequence[Outgoing]:
        """End everything, for a reason from outside."""
        return [] if self.finished else self._end(error)

    def _admitted(self, stage: Stage, parcel: Parcel) -> AnyMessage:
        sender = parcel.sender
        if sender not in self.terms.silos:
            raise ProtocolViolation("is no silo of the roster", party=sender, field="sender")
        message = decode_message(parcel.body, sender)
        if isinstance(message, Abort):
            return message
        for field, expected, got in (
            ("round", stage.round.value, parcel.round),
            ("kind", SILO_SENDS[stage.round].__name__, type(message).__name__),
            ("session", stage.session.hex() or "none yet", parcel.session.hex() or "none yet"),
            ("sender", "one that is waited for", self._standing(stage, sender)),
        ):
            if expected != got:
                reason = f"a message of another {field}"
                said = {"expected": expected, "got": got}
                raise ProtocolViolation(reason, party=sender, field=field, **said)
        return message

    def _standing(self, stage: Stage, sender: str) -> str:
        if sender in self._came:
            return "one that has done its part"
        return "one that is waited for" if sender in stage.eligible else "one that was left behind"

    def _waited(self, stage: Stage) -> tuple[str, ...]:
        """Return who has not come, and is not known to be gone."""
        return tuple(n for n in stage.eligible if n not in self._came and n not in self.left)

    def _hurry(self, stage: Stage, now: float) -> None:
        """When enough have committed, the others do not keep them waiting for a whole window."""
        if isinstance(stage, CommitStage) and len(self._came) == stage.least:
            soon = now + STRAGGLERS * self.terms.deadline_s
            self._deadline = min(self._deadline or soon, soon)

    def _without(self, silo: str, error: ColludeError, now: float) -> Sequence[Outgoing]:
        self._note(error)
        self.left[silo] = error
        self._quit.add(silo)
        return self._closed_if_all_came(now)

    def _heard(self, silo: str) -> None:
        """Who is late but lives is waited for from the next stage on that it may take part in."""
        if silo not in self._quit:
            self.left.pop(silo, None)

    def _closed_if_all_came(self, now: float) -> Sequence[Outgoing]:
        stage = self._stage
        return [] if stage is None or self._waited(stage) else self._close(now)

    def _close(self, now: float) -> Sequence[Outgoing]:
        stage = self._stage
        if stage is None:  # pragma: no cover -- only called with a stage
            return []
        came = tuple(name for name in stage.eligible if name in self._came)
        try:
            if len(came) < stage.least:
                raise self._too_few(stage, came)
            closed = stage.close(came)
        except ColludeError as error:
            return self._end(error)
        return self._go_on(closed, now)

    def _too_few(self, stage: Stage, came: tuple[str, ...]) -> PeriodAborted:
        gone = [name for name in self.terms.silos if name not in came]
        return PeriodAborted(
            f"too few silos are left: without {', '.join(gone)}",
            party=gone[0] if len(gone) == 1 else COORDINATOR,
            field=f"{stage.round}/silos",
            expected=f"{stage.least} or more",
            got=f"{len(came)}: {', '.join(came) or 'none'}",
        )

    def _go_on(self, closed: Closed, now: float) -> list[Outgoing]:
        letters = [_outgoing(letter) for letter in closed.letters]
        self._enter(closed.after, now)
        if self._stage is None:
            letters += self._open(now)
        elif not self._waited(self._stage):  # all that could come are known to be gone
            letters += self._close(now)
        return letters

    def _open(self, now: float) -> list[Outgoing]:
        """Open the next period, if there is one."""
        if not self._periods:
            return []
        again = self.terms is not self._periods[0]
        self.terms = self._periods.pop(0)
        self._enter(JoinStage(self.terms, self.signing_key), now)
        if again:
            self._deadline = now + JOIN_AGAIN * self.terms.deadline_s
            self.left = {silo: self.left[silo] for silo in self.left if silo in self._quit}
        return []

    def _enter(self, stage: Stage | None, now: float) -> None:
        self._stage, self._came = stage, set()
        wait = 0.0 if stage is None else coordinator_wait(stage.round) * self.terms.deadline_s
        self._deadline = None if stage is None else now + wait
        if isinstance(stage, CommitStage) and stage.book not in self.books:
            self.books.append(stage.book)

    def _end(self, error: ColludeError) -> list[Outgoing]:
        stage, self.error = self._stage, error
        self._stage, self._deadline, self._final = None, None, Round.ABORTED
        abort = encode_message(to_abort(error, COORDINATOR))
        round_ = stage.round if stage else Round.CODEF_JOIN
        session = stage.session if stage else b""
        return [Outgoing(n, round_.value, session, abort) for n in self.terms.silos]

    def _note(self, error: ColludeError) -> None:
        if len(self.refused) < MOST_REFUSED:
            self.refused.append(error)


def _outgoing(letter: Letter) -> Outgoing:
    body = encode_message(letter.message)
    return Outgoing(letter.receiver, letter.round.value, letter.session, body)
