"""Sending parcels to a party that serves mail, and fetching those that it has for us."""

from types import TracebackType
from typing import Self, cast

import grpc

from collude.common.errors import ProtocolViolation
from collude.common.net.calls import PeerChannel, fetch
from collude.common.net.channel import INLINE_BYTES
from collude.common.net.chunks import Expected, Limits, split
from collude.common.net.mail_server import NO_LIMITS
from collude.common.net.upload_client import Watch, unwatched, upload
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb
from collude.wire.v1 import mail_pb2_grpc


class MailClient:
    """One party's mail with one other. Close it, or use it with `async with`."""

    def __init__(
        self,
        name: str,
        peer: str,
        address: str,
        credentials: grpc.ChannelCredentials,
        deadline_s: float,
        limits: Limits = NO_LIMITS,
    ) -> None:
        """Keep everything; the connection is made by the first call.

        Args:
            name: this party.
            peer: the party that serves, which its certificate must name.
            address: its `host:port`.
            credentials: of `tls.channel_credentials`.
            deadline_s: seconds that each call may take, all its attempts together.
            limits: how long a fetched body may be.
        """
        self._channel = PeerChannel(address, peer, credentials, deadline_s)
        stub = mail_pb2_grpc.MailStub(self._channel.raw)
        self._stub = cast("mail_pb2_grpc.MailAsyncStub", stub)
        self._expected = Expected(peer, name, limits)

    async def __aenter__(self) -> Self:
        """Return the client itself."""
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Close the connection."""
        await self.close()

    async def close(self) -> None:
        """Close the connection; calls under way are cancelled."""
        await self._channel.close()

    async def deliver(
        self, parcel: Parcel, deadline_s: float | None = None, watch: Watch = unwatched
    ) -> None:
        """Send a parcel and wait until the peer has taken it.

        A long one is uploaded: what the peer has stored is not sent again after a failure.

        Args:
            parcel: from this party to the peer.
            deadline_s: seconds for all attempts; None is the client's.
            watch: hears how a long upload goes.

        Raises:
            RemoteError: the peer refuses it, cannot be reached or does not answer in time.
            ProtocolViolation: the receipt is for something else.
        """

        async def attempt(timeout: float) -> pb.Receipt:
            return await self._stub.Deliver(split(parcel), timeout=timeout)

        async def resumed(timeout: float) -> pb.Receipt:
            return await upload(self._channel.raw, parcel, timeout, watch)

        split(parcel)  # a body that is not bytes raises here, and not in mid-stream
        send = attempt if len(parcel.body) <= INLINE_BYTES else resumed
        receipt = await self._channel.call(send, deadline_s)
        if (receipt.sequence, receipt.sha256) != (parcel.sequence, parcel.digest()):
            raise ProtocolViolation(
                "sent a receipt for another parcel",
                party=self._channel.peer,
                field="sequence",
                expected=parcel.sequence,
                got=receipt.sequence,
            )

    async def collect(self, sequence: int, deadline_s: float | None = None) -> Parcel:
        """Return the peer's parcel for this party that has this number; waits until it exists.

        Args:
            sequence: from 0; says that all parcels below have arrived.
            deadline_s: seconds for all attempts; None is the client's.

        Raises:
            RemoteError: the peer refuses, cannot be reached or has none in time.
            ProtocolViolation: the parcel has another number.
        """

        async def attempt(timeout: float) -> Parcel:
            stream = self._stub.Collect(pb.Poll(sequence=sequence), timeout=timeout)
            return await fetch(stream, self._expected)

        parcel = await self._channel.call(attempt, deadline_s)
        if parcel.sequence != sequence:
            raise ProtocolViolation(
                "sent a parcel with another number",
                party=self._channel.peer,
                field="sequence",
                expected=sequence,
                got=parcel.sequence,
            )
        return parcel
