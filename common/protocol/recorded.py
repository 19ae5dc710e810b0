"""An endpoint that notes each parcel it receives before it looks at it."""

from collections.abc import Callable, Sequence

from collude.common.protocol.endpoint import Endpoint
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.transcript import Transcript


class Recorded:
    """Any endpoint, with a transcript beside it."""

    def __init__(
        self,
        endpoint: Endpoint,
        transcript: Transcript,
        moved: Callable[[], None] = lambda: None,
    ) -> None:
        """Keep all three; `moved` is called after each step."""
        self._endpoint, self._transcript, self._moved = endpoint, transcript, moved

    @property
    def name(self) -> str:
        """The party's name."""
        return self._endpoint.name

    @property
    def deadline(self) -> float | None:
        """When to call `expire`."""
        return self._endpoint.deadline

    @property
    def finished(self) -> bool:
        """Whether the party has done its part."""
        return self._endpoint.finished

    def start(self, now: float) -> Sequence[Outgoing]:
        """Begin."""
        outgoing = self._endpoint.start(now)
        self._moved()
        return outgoing

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Note the parcel, then take it."""
        self._transcript.record(parcel)
        outgoing = self._endpoint.receive(parcel, now)
        self._moved()
        return outgoing

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Take note that the deadline has passed."""
        outgoing = self._endpoint.expire(now)
        self._moved()
        return outgoing
