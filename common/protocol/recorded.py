"""An endpoint that notes each parcel it receives before it looks at it."""

from collections.abc import Sequence

from collude.common.protocol.endpoint import Endpoint
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.transcript import Transcript


class Recorded:
    """Any endpoint, with a transcript beside it."""

    def __init__(self, endpoint: Endpoint, transcript: Transcript) -> None:
        """Keep both."""
        self._endpoint, self._transcript = endpoint, transcript

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
        return self._endpoint.start(now)

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Note the parcel, then take it."""
        self._transcript.record(parcel)
        return self._endpoint.receive(parcel, now)

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Take note that the deadline has passed."""
        return self._endpoint.expire(now)
