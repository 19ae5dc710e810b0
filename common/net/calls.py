"""Calling one party: deadlines on every call, patience while it is not there, clear errors."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import grpc
import grpc.aio

from collude.common.errors import IdentityRefused, RemoteError
from collude.common.net.channel import open_channel
from collude.common.net.chunks import Expected, join
from collude.common.net.faults import from_status, has_details
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb

T = TypeVar("T")
Q = TypeVar("Q")

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 1.0

_RETRIED = frozenset({
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.INTERNAL,  # the connection broke while something was being written
    grpc.StatusCode.CANCELLED,  # the server stopped
})
"""Codes that, without the party's own account, say that a call did not come through."""

_WRONG_SERVER = ("CERTIFICATE_VERIFY_FAILED", "Peer name", "Hostname Verification")
"""Words by which gRPC says that the server's certificate is not the one expected."""


class PeerChannel:
    """A channel to one named party. Close it, or use it with `async with`."""

    def __init__(
        self, address: str, peer: str, credentials: grpc.ChannelCredentials, deadline_s: float
    ) -> None:
        """Keep everything; the connection is made by the first call.

        Args:
            address: `host:port` of the party.
            peer: its name, which its certificate must carry.
            credentials: of `tls.channel_credentials`.
            deadline_s: seconds that each call may take, all its attempts together.
        """
        self.address = address
        self.peer = peer
        self._deadline_s = deadline_s
        self._channel = open_channel(address, peer, credentials)

    @property
    def raw(self) -> grpc.aio.Channel:
        """The gRPC channel, for stubs."""
        return self._channel

    async def close(self) -> None:
        """Close the connection; calls under way are cancelled."""
        await self._channel.close(None)

    async def call(
        self, attempt: Callable[[float], Awaitable[T]], deadline_s: float | None = None
    ) -> T:
        """Return what `attempt` returns, trying again while the party cannot be reached.

        Args:
            attempt: makes the call; its argument is the call's timeout in seconds.
            deadline_s: seconds for all attempts; None is the channel's.

        Raises:
            RemoteError: what the party told, or `PeerUnreachable`, `DeadlineExceeded` or
                `IdentityRefused`, naming it and its address.
        """
        end = time.monotonic() + (self._deadline_s if deadline_s is None else deadline_s)
        pause = FIRST_PAUSE_S
        while True:
            try:
                return await attempt(max(0.001, end - time.monotonic()))
            except grpc.aio.AioRpcError as error:
                left = end - time.monotonic()
                if not _worth_another(error) or left <= pause:
                    raise self._told(error) from None
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    def _told(self, error: grpc.aio.AioRpcError) -> RemoteError:
        if _wrong_server(error):
            return IdentityRefused(
                "the server's certificate is not this party's, or not of the consortium's CA",
                party=self.peer,
                field=self.address,
                expected=self.peer,
                hint="Is the address right? Look at the certificates with `collude pki check`.",
            )
        told = from_status(error, self.peer, self.address)
        if told.hint is None and not has_details(error):
            told.hint = "Is it running, and are its and this party's certificates valid?"
        return told


async def fetch(stream: grpc.aio.UnaryStreamCall[Q, pb.Chunk], expected: Expected) -> Parcel:
    """Return the parcel in a call's answer; one that is refused half-way ends the call.

    Raises:
        RemoteError: as `chunks.join`.
    """
    try:
        return await join(aiter(stream), expected)
    finally:
        stream.cancel()


def _worth_another(error: grpc.aio.AioRpcError) -> bool:
    return error.code() in _RETRIED and not has_details(error) and not _wrong_server(error)


def _wrong_server(error: grpc.aio.AioRpcError) -> bool:
    text = f"{error.details()} {error.debug_error_string()}"
    return error.code() is grpc.StatusCode.UNAVAILABLE and any(w in text for w in _WRONG_SERVER)
