"""A budget period, then the representation session under its lease: one endpoint of two peers.

The coordinator is heard in the first, the analyst in the second. What the analyst may say in the
first is that all is over; what the coordinator says in the second changes nothing any more.
"""

from collections.abc import Callable, Sequence

from collude.codef.period.leases import Lease
from collude.common.errors import ColludeError, ProtocolViolation, WireInvalid
from collude.common.ids import ANALYST, COORDINATOR, Round
from collude.common.protocol.aborts import from_abort, to_abort
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.messages import Abort
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.participant.codef.session import SiloSession
from collude.participant.session import MOST_REFUSED, ParticipantSession


class Successive:
    """One participant under CoDef. An `Endpoint`: parcels in, messages out.

    Where the period fails, or its lease allows no upload, the participant leaves before it joins,
    and tells the analyst why.

    Attributes:
        period: the session of the budget period.
        error: why all ended early, or None.
    """

    def __init__(
        self, period: SiloSession, under: Callable[[Lease | None], ParticipantSession]
    ) -> None:
        """Stand before the period.

        Args:
            period: one period, nothing else.
            under: makes the representation session under a lease, or raises a `ColludeError`.
        """
        self.period, self._under = period, under
        self._session: ParticipantSession | None = None
        self._left: ColludeError | None = None
        self._refused: list[ColludeError] = []

    @property
    def name(self) -> str:
        """This participant's name."""
        return self.period.name

    @property
    def round(self) -> Round:
        """The round it stands in."""
        if self._session is not None:
            return self._session.round
        return Round.ABORTED if self._left else self.period.round

    @property
    def deadline(self) -> float | None:
        """When it gives up waiting, in seconds; None when all is over."""
        if self._session is not None:
            return self._session.deadline
        return None if self._left else self.period.deadline

    @property
    def finished(self) -> bool:
        """Whether all is over, well or not."""
        return self._left is not None or (self._session is not None and self._session.finished)

    @property
    def error(self) -> ColludeError | None:
        """Why it ended early, or None."""
        return self._left if self._session is None else self._session.error

    @property
    def refused(self) -> list[ColludeError]:
        """Messages that did not belong and changed nothing."""
        later = [] if self._session is None else self._session.refused
        return [*self.period.refused, *self._refused, *later]

    def start(self, now: float) -> Sequence[Outgoing]:
        """Join the period."""
        return self._go_on(self.period.start(now), now)

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Take one parcel; what does not belong is noted in `refused` and changes nothing."""
        if self._left is not None:
            return []
        if self._session is not None:
            return [] if parcel.sender == COORDINATOR else self._session.receive(parcel, now)
        if parcel.sender == ANALYST:
            return self._from_analyst(parcel, now)
        return self._go_on(self.period.receive(parcel, now), now)

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Take note that the deadline has passed."""
        if self._session is not None:
            return self._session.expire(now)
        return self._go_on(self.period.expire(now), now)

    def give_up(self, error: ColludeError, now: float) -> Sequence[Outgoing]:
        """End all for a reason from outside; that the coordinator is gone after it is none."""
        if self._session is not None:
            return [] if error.party == COORDINATOR else self._session.give_up(error, now)
        return [] if self._left else self._leave(error, self.period.give_up(error, now), tell=True)

    def _from_analyst(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Hear before the join that all is over, and nothing else."""
        try:
            message = decode_message(parcel.body, parcel.sender)
        except WireInvalid as error:
            return self._noted(error, now)
        if isinstance(message, Abort):
            told = from_abort(message, ANALYST)
            return self._leave(told, self.period.give_up(told, now), tell=False)
        return self._noted(
            ProtocolViolation(
                "speaks before this participant has joined",
                party=ANALYST,
                field="kind",
                expected=Abort.__name__,
                got=type(message).__name__,
            ),
            now,
        )

    def _noted(self, error: ColludeError, now: float) -> Sequence[Outgoing]:
        self._refused.append(error)
        return self.give_up(error, now) if len(self._refused) > MOST_REFUSED else []

    def _go_on(self, outgoing: Sequence[Outgoing], now: float) -> Sequence[Outgoing]:
        """Enter the representation session as soon as the period is over."""
        if not self.period.finished or self._left is not None:
            return outgoing
        if self.period.error is not None:
            return self._leave(self.period.error, outgoing, tell=True)
        try:
            session = self._under(self.period.leases[-1])
        except ColludeError as error:
            return self._leave(error, outgoing, tell=True)
        self._session = session
        return [*outgoing, *session.start(now)]

    def _leave(
        self, error: ColludeError, outgoing: Sequence[Outgoing], *, tell: bool
    ) -> Sequence[Outgoing]:
        """End before the join; the analyst, which waits for it, is told why."""
        self._left = error
        if not tell:
            return outgoing
        abort = encode_message(to_abort(error, self.name))
        return [*outgoing, Outgoing(ANALYST, Round.JOIN.value, b"", abort)]
