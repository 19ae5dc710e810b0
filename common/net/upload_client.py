"""Sending one long body: from where the receiver has it, with word of how far it is."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc.aio

from collude.common.errors import ProtocolViolation
from collude.common.net.authorisation import UPLOAD
from collude.common.net.channel import CHUNK_BYTES
from collude.common.net.framing import header_frame, piece_frame
from collude.common.net.head import Head, head_of, to_wire
from collude.common.protocol.parcel import Body, Parcel
from collude.wire.v1 import mail_pb2 as pb


@dataclass(frozen=True, slots=True)
class Progress:
    """How an upload stands.

    Attributes:
        ahead: how many uploads of others come first.
        stored: bytes that the receiver has on its disk.
        length: bytes of the body.
    """

    ahead: int
    stored: int
    length: int


Watch = Callable[[Progress], None]

if TYPE_CHECKING:  # generic only for the type checker
    _Call = grpc.aio.StreamStreamCall[bytes, pb.UploadStatus]
else:
    _Call = grpc.aio.StreamStreamCall


def unwatched(_progress: Progress) -> None:
    """Take no note of it."""


async def upload(
    channel: grpc.aio.Channel, parcel: Parcel, timeout: float, watch: Watch
) -> pb.Receipt:
    """Return the receipt for a parcel; one attempt.

    Args:
        channel: to the receiver.
        parcel: with a body of more than `INLINE_BYTES`.
        timeout: seconds.
        watch: hears how it goes.

    Raises:
        AioRpcError: the receiver refuses it, or the connection breaks.
        ProtocolViolation: the receiver's answers make no sense.
    """
    method = channel.stream_stream(UPLOAD, None, pb.UploadStatus.FromString)
    call = method(None, timeout=timeout)
    try:
        return await _converse(call, parcel, watch)
    finally:
        call.cancel()


async def _converse(call: _Call, parcel: Parcel, watch: Watch) -> pb.Receipt:
    head = await asyncio.to_thread(head_of, parcel)
    await _write(call, header_frame(to_wire(head)))
    receipt: pb.Receipt | None = None
    sending: asyncio.Task[None] | None = None
    stored = 0
    try:
        async for status in call:
            if status.WhichOneof("state") == "receipt":
                receipt, stored = status.receipt, head.length
            elif status.WhichOneof("state") == "stored":
                stored = _checked(status.stored, stored, head)
                sending = sending or asyncio.create_task(_send(call, parcel.body, stored))
            watch(Progress(status.ahead, stored, head.length))
    finally:
        if sending is not None:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)  # reading has said what is wrong
    if receipt is None:
        raise _violation(head, "ended an upload without a receipt", "a receipt", "none")
    return receipt


def _checked(stored: int, before: int, head: Head) -> int:
    if not before <= stored <= head.length:
        limits = f"{before} to {head.length}"
        raise _violation(head, "says that it stored what was not sent", limits, stored)
    return stored


def _violation(head: Head, reason: str, wanted: object, got: object) -> ProtocolViolation:
    return ProtocolViolation(reason, party=head.receiver, field="stored", expected=wanted, got=got)


async def _send(call: _Call, body: Body, start: int) -> None:
    view = memoryview(body)
    for first in range(start, len(view), CHUNK_BYTES):
        await _write(call, piece_frame(view[first : first + CHUNK_BYTES]))
    with suppress(asyncio.InvalidStateError):
        await call.done_writing()


async def _write(call: _Call, frame: bytes) -> None:
    # A call that is over refuses: its answers say why.
    with suppress(asyncio.InvalidStateError):
        await call.write(frame)
