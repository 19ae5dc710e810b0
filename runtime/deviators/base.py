"""What every deviation is: an honest session, and a hand on what it sends and takes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar, Protocol

import numpy as np

from collude.common.errors import ColludeError
from collude.common.ids import Role
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.endpoint import Endpoint
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.parcel import Outgoing, Parcel


class Session(Endpoint, Protocol):
    """A session that can be ended from outside."""

    def give_up(self, error: ColludeError, now: float, /) -> Sequence[Outgoing]:
        """End it."""


class Deviator:
    """An endpoint that does as its honest session says, but for what a subclass changes.

    Attributes:
        role: who can deviate so.
        session: the honest session inside.
        rng: chooses.
    """

    role: ClassVar[Role]

    def __init__(self, session: Session, rng: np.random.Generator) -> None:
        """Wrap a session that is not started."""
        self.session, self.rng = session, rng

    @property
    def name(self) -> str:
        """The party's name."""
        return self.session.name

    @property
    def deadline(self) -> float | None:
        """As the session's."""
        return self.session.deadline

    @property
    def finished(self) -> bool:
        """As the session's."""
        return self.session.finished

    def start(self, now: float) -> Sequence[Outgoing]:
        """Begin."""
        return self._rewritten(self.session.start(now))

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Take one parcel, as the deviation wants it taken."""
        taken = self.takes(parcel)
        return [] if taken is None else self._rewritten(self.session.receive(taken, now))

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Pass it on."""
        return self._rewritten(self.session.expire(now))

    def give_up(self, error: ColludeError, now: float) -> Sequence[Outgoing]:
        """End, for a reason from outside."""
        return self._rewritten(self.session.give_up(error, now))

    def takes(self, parcel: Parcel) -> Parcel | None:
        """Return what the session gets to see in place of a parcel; None: nothing."""
        return parcel

    def sends(self, outgoing: Outgoing) -> Iterable[Outgoing]:
        """Return what is sent in place of a message."""
        return [outgoing]

    def _rewritten(self, sent: Sequence[Outgoing]) -> list[Outgoing]:
        return [new for each in sent for new in self.sends(each)]

    def chosen(self, names: Sequence[str]) -> str:
        """Return one of the names, at random."""
        return names[int(self.rng.integers(len(names)))]


def message_of(sent: Outgoing | Parcel) -> AnyMessage:
    """Return what a message says."""
    return decode_message(sent.body)


def saying(sent: Outgoing, message: AnyMessage) -> Outgoing:
    """Return a message to the same receiver, in the same round and session, that says this."""
    return replace(sent, body=encode_message(message))
