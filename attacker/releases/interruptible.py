"""The querier's session as a driver needs it: it can be told to end."""

from collections.abc import Sequence

from collude.attacker.releases.session import QuerierSession
from collude.common.errors import ColludeError
from collude.common.ids import Round
from collude.common.protocol.parcel import Outgoing, Parcel


class Interruptible:
    """A querier's session, and why it ended before its time.

    Attributes:
        session: the querier's.
        error: None if nobody told it to end.
    """

    def __init__(self, session: QuerierSession) -> None:
        """Keep the session."""
        self.session = session
        self.error: ColludeError | None = None

    @property
    def name(self) -> str:
        """The querier's name."""
        return self.session.name

    @property
    def round(self) -> Round:
        """The round that it stands in."""
        return Round.ABORTED if self.error else self.session.round

    @property
    def deadline(self) -> float | None:
        """When to call `expire`."""
        return None if self.error else self.session.deadline

    @property
    def finished(self) -> bool:
        """Whether all periods are over, or somebody told it to end."""
        return self.error is not None or self.session.finished

    def start(self, now: float) -> Sequence[Outgoing]:
        """Wait for the first windows."""
        return self.session.start(now)

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Take one parcel."""
        return self.session.receive(parcel, now)

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Give up whoever is waited for."""
        return self.session.expire(now)

    def give_up(self, error: ColludeError, _now: float) -> Sequence[Outgoing]:
        """End for a reason from outside; silos close their windows by themselves."""
        self.error = self.error or error
        return []
