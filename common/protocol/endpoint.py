"""What a link needs of a party: a thing that takes parcels and gives messages to send."""

from collections.abc import Sequence
from typing import Protocol

from collude.common.protocol.parcel import Outgoing, Parcel


class Endpoint(Protocol):
    """One party's side of a protocol, without input or output. Time is in seconds."""

    @property
    def name(self) -> str:
        """The party's name."""

    @property
    def deadline(self) -> float | None:
        """When to call `expire` unless something comes before, or None for never."""

    @property
    def finished(self) -> bool:
        """Whether the party has done its part: nothing more is handed to it."""

    def start(self, now: float) -> Sequence[Outgoing]:
        """Begin at time `now`; called once, first."""

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Take one parcel. Parcels of one sender come exactly once and in order."""

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Take note that `deadline` has passed."""
