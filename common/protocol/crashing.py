"""A session that falls silent for ever when it enters a round: a crash on purpose."""

from collections.abc import Callable, Sequence
from typing import Protocol

from collude.common.errors import ColludeError
from collude.common.ids import Round
from collude.common.protocol.endpoint import Endpoint
from collude.common.protocol.parcel import Outgoing, Parcel


class Crashable(Endpoint, Protocol):
    """A session that says where it stands, and can be told to end."""

    @property
    def round(self) -> Round:
        """The round that it stands in."""

    def give_up(self, error: ColludeError, now: float, /) -> Sequence[Outgoing]:
        """End it for a reason from outside."""


class Crashing:
    """A session, up to the moment when it would enter a round: what it says then is never sent.

    Attributes:
        crashed: whether that has happened.
    """

    def __init__(self, session: Crashable, round_: str, die: Callable[[], None]) -> None:
        """Keep all three; `die` ends the process where there is one."""
        self._session, self._round, self._die = session, round_, die
        self.crashed = False

    @property
    def name(self) -> str:
        """The party's name."""
        return self._session.name

    @property
    def round(self) -> Round:
        """The round that it stands in."""
        return self._session.round

    @property
    def deadline(self) -> float | None:
        """When to call `expire`; never again after the crash."""
        return None if self.crashed else self._session.deadline

    @property
    def finished(self) -> bool:
        """Whether nothing more is handed to it."""
        return self.crashed or self._session.finished

    def start(self, now: float) -> Sequence[Outgoing]:
        """Begin."""
        return self._alive(self._session.start(now))

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Take one parcel."""
        return self._alive(self._session.receive(parcel, now))

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Take note that the deadline has passed."""
        return self._alive(self._session.expire(now))

    def give_up(self, error: ColludeError, now: float) -> Sequence[Outgoing]:
        """End it for a reason from outside."""
        return [] if self.crashed else self._session.give_up(error, now)

    def _alive(self, outgoing: Sequence[Outgoing]) -> Sequence[Outgoing]:
        if self._session.round.value != self._round:
            return outgoing
        self.crashed = True
        self._die()
        return []
