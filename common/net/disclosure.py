"""Handing a party's disclosure to the attacker, and fetching it: one opaque body."""

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from typing import Protocol, cast

import grpc

from collude.common.net.calls import PeerChannel, fetch
from collude.common.net.chunks import Expected, Limits, split
from collude.common.net.guard import Context
from collude.common.net.identity import peer_name
from collude.common.net.mail_server import NO_LIMITS
from collude.common.net.server import Service
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb
from collude.wire.v1 import mail_pb2_grpc

DISCLOSE_ROUND = "disclose"


class DisclosureHandler(Protocol):
    """What a party discloses to the one who asks."""

    async def disclose(self, peer: str) -> bytes:
        """Return the disclosure as soon as there is one; cancelled at the call's deadline.

        Raises:
            RemoteError: there will be none; the peer is told why.
        """


@dataclass(frozen=True, slots=True)
class DisclosureSource:
    """Where to fetch a disclosure: the party, its disclosure port, and the most it may send."""

    party: str
    address: str
    limits: Limits = NO_LIMITS


def disclosing_service(name: str, roster: Collection[str], handler: DisclosureHandler) -> Service:
    """Return the service Disclosing of the party `name`, to be put on a `PartyServer`."""
    servicer = _Disclosing(name, roster, handler)
    return lambda server: mail_pb2_grpc.add_DisclosingServicer_to_server(servicer, server)


async def fetch_disclosure(
    name: str,
    source: DisclosureSource,
    credentials: grpc.ChannelCredentials,
    deadline_s: float,
) -> bytes:
    """Return what a party discloses to the party `name`; waits until it does.

    Args:
        name: this party.
        source: whom to ask.
        credentials: of `tls.channel_credentials`.
        deadline_s: seconds for all attempts.

    Raises:
        RemoteError: the party refuses, cannot be reached or discloses nothing in time.
    """
    channel = PeerChannel(source.address, source.party, credentials, deadline_s)
    stub = cast("mail_pb2_grpc.DisclosingAsyncStub", mail_pb2_grpc.DisclosingStub(channel.raw))

    async def attempt(timeout: float) -> Parcel:
        stream = stub.Disclose(pb.DiscloseRequest(), timeout=timeout)
        return await fetch(stream, Expected(source.party, name, source.limits))

    try:
        return bytes((await channel.call(attempt)).body)
    finally:
        await channel.close()


class _Disclosing(mail_pb2_grpc.DisclosingServicer):
    """Between the wire and the handler; errors are put into a status by the guard."""

    def __init__(self, name: str, roster: Collection[str], handler: DisclosureHandler) -> None:
        self._name = name
        self._roster = roster
        self._handler = handler

    async def Disclose(  # noqa: N802 -- the name in mail.proto
        self, _request: pb.DiscloseRequest, context: Context
    ) -> AsyncIterator[pb.Chunk]:
        peer = peer_name(context.auth_context(), self._roster)
        body = await self._handler.disclose(peer)
        for chunk in split(Parcel(b"", DISCLOSE_ROUND, self._name, peer, 0, body)):
            yield chunk
