"""Serving parcels: the analyst takes them in and hands them out; the others come and fetch."""

import asyncio
from collections.abc import AsyncIterator, Collection
from typing import Protocol

from collude.common.net.allowance import Allowance
from collude.common.net.channel import INLINE_BYTES
from collude.common.net.chunks import Expected, Limits, join, split
from collude.common.net.guard import Context
from collude.common.net.identity import peer_name
from collude.common.net.server import Service
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb
from collude.wire.v1 import mail_pb2_grpc

NO_LIMITS = Limits()

PATIENCE_S = 15.0
"""Seconds for one delivery, which is held in memory until it is whole."""


class MailHandler(Protocol):
    """What a party does with the parcels of those who call it."""

    async def accept(self, peer: str, parcel: Parcel) -> None:
        """Take a whole, checked parcel of `peer`; the same one again changes nothing.

        Raises:
            RemoteError: the parcel is refused; the peer is told why.
        """

    async def next_for(self, peer: str, sequence: int) -> Parcel:
        """Return the parcel for `peer` that has this number, as soon as there is one.

        It says that all parcels below have arrived. The wait is cancelled at the call's deadline.

        Raises:
            RemoteError: there will be none; the peer is told why.
        """


def mail_service(
    name: str,
    roster: Collection[str],
    handler: MailHandler,
    limits: Limits = NO_LIMITS,
    allowance: Allowance | None = None,
) -> Service:
    """Return the service Mail of the party `name`, to be put on a `PartyServer`.

    Args:
        name: the party that serves.
        roster: names that may deliver and collect here.
        handler: takes what comes, and has what is to be fetched.
        limits: how long a body may be.
        allowance: how much one peer may deliver; None is the usual.
    """
    servicer = _Mail(name, roster, handler, limits, allowance or Allowance())
    return lambda server: mail_pb2_grpc.add_MailServicer_to_server(servicer, server)


class _Mail(mail_pb2_grpc.MailServicer):
    """Between the wire and the handler; errors are put into a status by the guard."""

    def __init__(
        self,
        name: str,
        roster: Collection[str],
        handler: MailHandler,
        limits: Limits,
        allowance: Allowance,
    ) -> None:
        self._name = name
        self._roster = roster
        self._handler = handler
        self._limits = limits.capped(INLINE_BYTES)
        self._allowance = allowance

    async def Deliver(  # noqa: N802 -- the name in mail.proto
        self, request_iterator: AsyncIterator[pb.Chunk], context: Context
    ) -> pb.Receipt:
        peer = peer_name(context.auth_context(), self._roster)
        with self._allowance.delivery(peer):
            async with asyncio.timeout(PATIENCE_S):
                parcel = await join(request_iterator, Expected(peer, self._name, self._limits))
            self._allowance.check(peer, len(parcel.body))
            await self._handler.accept(peer, parcel)
            self._allowance.spend(peer, len(parcel.body))
        return pb.Receipt(sequence=parcel.sequence, sha256=parcel.digest())

    async def Collect(  # noqa: N802 -- the name in mail.proto
        self, request: pb.Poll, context: Context
    ) -> AsyncIterator[pb.Chunk]:
        peer = peer_name(context.auth_context(), self._roster)
        parcel = await self._handler.next_for(peer, request.sequence)
        for chunk in split(parcel):
            yield chunk
