"""A caller, and a server, that does not keep to the rules: over real connections, no client code.

What a stream may hold is in test_chunks.py; here is that refusals reach the other end, that
nothing is kept, and that the server goes on serving.
"""

import asyncio
import contextlib
import dataclasses

import grpc
import grpc.aio
import pytest

from collude.common.errors import DeadlineExceeded, WireInvalid
from collude.common.net.authorisation import COLLECT, DELIVER, UPLOAD
from collude.common.net.channel import bind, open_channel
from collude.common.net.chunks import split
from collude.common.net.guard import MOST_CALLS
from collude.common.net.mail_server import mail_service
from collude.common.net.server import PartyServer
from collude.common.net.tls import channel_credentials, server_credentials
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb
from collude.wire.v1 import mail_pb2_grpc

PARCEL = Parcel(b"", "r3_upload", "participant-0", "analyst", 0, b"0123456789" * 100_000)
HEADER, *PIECES = split(PARCEL)
LIAR = pb.Chunk(header=pb.ParcelHeader(
    round="r3_upload", sender="participant-0", receiver="analyst", length=1 << 40,
))  # fmt: skip

HOSTILE = {
    "truncated": ([HEADER, PIECES[0]], grpc.StatusCode.INVALID_ARGUMENT),
    "too many": ([HEADER, *PIECES, *PIECES], grpc.StatusCode.INVALID_ARGUMENT),
    "wrong order": ([HEADER, *PIECES[::-1]], grpc.StatusCode.INVALID_ARGUMENT),
    "no header": (PIECES, grpc.StatusCode.INVALID_ARGUMENT),
    "nothing": ([], grpc.StatusCode.INVALID_ARGUMENT),
    "declares a terabyte": ([LIAR, *PIECES], grpc.StatusCode.FAILED_PRECONDITION),
    "a chunk over gRPC's limit": (
        [HEADER, pb.Chunk(data=bytes(2_000_000))], grpc.StatusCode.RESOURCE_EXHAUSTED,
    ),
}  # fmt: skip


@contextlib.asynccontextmanager
async def raw_channel(consortium, address):
    credentials = channel_credentials(consortium.files("participant-0"))
    async with open_channel(address, "analyst", credentials) as channel:
        yield channel


@pytest.mark.parametrize("case", HOSTILE)
def test_a_stream_that_breaks_the_rules_leaves_nothing(consortium, desk, case):
    chunks, code = HOSTILE[case]

    async def run():
        async with (
            consortium.serving(desk) as address,
            raw_channel(consortium, address) as channel,
        ):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await mail_pb2_grpc.MailStub(channel).Deliver(iter(chunks), timeout=20)
            assert desk.accepted == []
            async with consortium.client(address) as client:
                await client.deliver(PARCEL)
        return caught.value.code()

    assert asyncio.run(run()) is code
    assert desk.accepted == [("participant-0", PARCEL)]


@pytest.mark.parametrize("method", [DELIVER, COLLECT])
def test_bytes_that_are_no_message_are_refused(consortium, desk, method):
    async def run():
        async with (
            consortium.serving(desk) as address,
            raw_channel(consortium, address) as channel,
        ):
            with pytest.raises(grpc.aio.AioRpcError):
                await channel.stream_unary(method)(iter([b"\xff\xff\xff"]), timeout=20)

    asyncio.run(run())
    assert desk.accepted == []


@pytest.mark.parametrize("chunks", [[], [HEADER], [HEADER, PIECES[0]]])
def test_a_caller_that_stops_in_mid_stream_does_not_hold_its_place_for_ever(
    consortium, desk, chunks
):
    async def run():
        server = PartyServer(
            "127.0.0.1:0",
            server_credentials(consortium.files("analyst")),
            {"participant-0"},
            [mail_service("analyst", {"participant-0"}, desk)],
            longest_call_s=0.2,
        )
        address = await server.start()
        async with raw_channel(consortium, address) as channel:
            call = mail_pb2_grpc.MailStub(channel).Deliver()  # no deadline of its own
            for chunk in chunks:
                await call.write(chunk)
            code = await asyncio.wait_for(call.code(), 20)
        await server.stop(0)
        return code

    assert asyncio.run(run()) is grpc.StatusCode.DEADLINE_EXCEEDED
    assert desk.accepted == []


def test_a_party_has_a_limited_number_of_calls_and_the_others_are_served(consortium, desk):
    """Each call waits for a parcel that never comes."""

    async def run():
        async with consortium.serving(desk) as address, raw_channel(consortium, address) as channel:
            stub = mail_pb2_grpc.MailStub(channel)
            calls = [stub.Collect(pb.Poll(), timeout=20) for _ in range(MOST_CALLS + 1)]
            ended = [asyncio.create_task(call.code()) for call in calls]
            done, waiting = await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
            assert [task.result() for task in done] == [grpc.StatusCode.FAILED_PRECONDITION]
            other = dataclasses.replace(PARCEL, sender="participant-1")
            async with consortium.client(address, "participant-1") as client:
                await client.deliver(other)
            for call in calls:
                call.cancel()
            await asyncio.wait(waiting)
            async with consortium.client(address) as client:  # the places are free again
                await client.deliver(PARCEL)

    asyncio.run(run())
    assert {peer for peer, _ in desk.accepted} == {"participant-0", "participant-1"}


def test_bytes_that_are_no_message_leave_no_traceback_in_the_log(consortium, desk, caplog):
    async def run():
        async with consortium.serving(desk) as address, raw_channel(consortium, address) as channel:
            for method in (DELIVER, UPLOAD):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await channel.stream_unary(method)(iter([b"\xff"]), timeout=20)
                assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT

    asyncio.run(run())
    assert caplog.records == []


class _Rogue(mail_pb2_grpc.MailServicer):
    """A server of ours that answers with whatever it likes."""

    def __init__(self, chunks, *, silent=False):
        self._chunks = chunks
        self._silent = silent

    async def Collect(self, request, context):  # noqa: N802 -- the name in mail.proto
        for chunk in self._chunks:
            yield chunk
        if self._silent:
            await asyncio.Event().wait()


def collected_from(consortium, rogue, deadline_s=20.0):
    async def run():
        server = grpc.aio.server()
        mail_pb2_grpc.add_MailServicer_to_server(rogue, server)
        credentials = server_credentials(consortium.files("analyst"))
        address = bind(server, "127.0.0.1:0", credentials)
        await server.start()
        try:
            async with consortium.client(address, deadline_s=deadline_s) as client:
                return await client.collect(0)
        finally:
            await server.stop(0)

    return asyncio.run(run())


ANSWER = Parcel(b"", "r5_deliver", "analyst", "participant-0", 0, b"x" * 1_000_000)


def test_the_rogue_server_is_heard_when_it_keeps_to_the_rules(consortium):
    assert collected_from(consortium, _Rogue(split(ANSWER))) == ANSWER


def test_a_server_that_stops_half_way_is_a_fault_that_names_it(consortium):
    with pytest.raises(WireInvalid) as caught:
        collected_from(consortium, _Rogue(list(split(ANSWER))[:-1]))
    assert caught.value.party == "analyst"


def test_a_server_that_falls_silent_half_way_is_a_deadline_that_names_it(consortium):
    rogue = _Rogue(list(split(ANSWER))[:-1], silent=True)
    with pytest.raises(DeadlineExceeded) as caught:
        collected_from(consortium, rogue, deadline_s=0.3)
    assert caught.value.party == "analyst"
