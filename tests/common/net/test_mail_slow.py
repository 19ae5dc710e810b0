"""Slow peers, and peers that stop reading: they hold their own call, and not for ever."""

import asyncio
import contextlib

import grpc
import grpc.aio

from collude.common.net.channel import open_channel
from collude.common.net.chunks import split
from collude.common.net.server import LONGEST_CALL_S
from collude.common.net.tls import channel_credentials
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb
from collude.wire.v1 import mail_pb2_grpc

LARGE = Parcel(b"", "r5_deliver", "analyst", "participant-0", 0, bytes(24 << 20))
"""Far more than what the windows of a connection hold for one who does not read."""


TOO_LATE = grpc.StatusCode.DEADLINE_EXCEEDED


def parcel(sender, body=b"x" * 1_000_000):
    return Parcel(b"", "r3_upload", sender, "analyst", 0, body)


@contextlib.asynccontextmanager
async def slow_caller(consortium, address, party="participant-0"):
    credentials = channel_credentials(consortium.files(party))
    async with open_channel(address, "analyst", credentials) as channel:
        yield mail_pb2_grpc.MailStub(channel)


def test_a_slow_sender_is_waited_for_and_keeps_nobody_else_waiting(consortium, desk):
    async def run():
        async with (
            consortium.serving(desk) as address,
            slow_caller(consortium, address) as stub,
            consortium.client(address, name="participant-1") as quick,
        ):
            call = stub.Deliver(timeout=60)
            for chunk in split(parcel("participant-0")):
                await call.write(chunk)
                await quick.deliver(parcel("participant-1"))
                assert desk.accepted == [("participant-1", parcel("participant-1"))]
            await call.done_writing()
            await call

    asyncio.run(run())
    assert desk.accepted[-1] == ("participant-0", parcel("participant-0"))


def test_a_peer_that_stops_reading_loses_its_call_and_others_are_served(consortium, desk):
    desk.ready["participant-0", 0] = LARGE

    async def run():
        async with (
            consortium.serving(desk, longest_call_s=0.5) as address,
            slow_caller(consortium, address) as deaf,
            slow_caller(consortium, address, "participant-1") as other,
            consortium.client(address, name="participant-1") as quick,
        ):
            call = deaf.Collect(pb.Poll(sequence=0))  # no deadline of its own
            assert (await call.read()).HasField("header")
            await quick.deliver(parcel("participant-1"))
            # A call that began later and waits for nothing: when it is ended, so is the other.
            assert await code_of(other.Collect(pb.Poll(sequence=7))) is TOO_LATE
            return await what_is_left(call), await call.code()

    left, code = asyncio.run(run())
    assert code is TOO_LATE
    assert 0 < left < len(LARGE.body) / 2
    assert desk.accepted == [("participant-1", parcel("participant-1"))]


async def code_of(call):
    with contextlib.suppress(grpc.aio.AioRpcError):
        await call.read()
    return await call.code()


async def what_is_left(call):
    """Read what the connection still holds, to the end of the call."""
    read = 0
    with contextlib.suppress(grpc.aio.AioRpcError):
        while (chunk := await call.read()) is not grpc.aio.EOF:
            read += len(chunk.data)
    return read


def test_a_server_ends_calls_without_being_told_to():
    assert 0 < LONGEST_CALL_S < 3600
