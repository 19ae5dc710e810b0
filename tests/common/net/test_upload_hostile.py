"""Uploads by callers who do not keep to the rules: each is refused, leaves nothing, harms nobody.

Every stream here is made frame by frame over a real connection. After each refusal the spool is
empty, nothing was accepted, and an honest upload that needs the whole quota goes through.
"""

import asyncio

import grpc
import numpy as np
import pytest
from testkit.disk import lies_in
from testkit.raw_upload import RawUpload, raw_upload

from collude.common.errors import (
    UploadOverQuota,
)
from collude.common.net.channel import INLINE_BYTES, open_channel
from collude.common.net.chunks import Limits
from collude.common.net.framing import header_frame
from collude.common.net.quota import Quota
from collude.common.net.tls import channel_credentials
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb

MIB = 1024 * 1024
BODY = np.random.default_rng(0).bytes(3 * MIB)
PARCEL = Parcel(b"session", "r3_upload", "participant-0", "analyst", 0, BODY)
ONE = b"\x12\x01x"  # a chunk of one byte
INVALID, FAILED, DENIED = (
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.PERMISSION_DENIED,
)
LIMITS = Limits(body=INLINE_BYTES, rounds={"r3_upload": 16 * MIB})
QUOTA = Quota(round=len(BODY), session=len(BODY), spool=len(BODY))


async def send(raw, *, body=BODY, then=(), **changes):
    await raw.header(PARCEL, **changes)
    await raw.pieces(body)
    for frame in then:
        await raw.call.write(frame)
    await raw.call.done_writing()


async def headless(raw, *frames):
    for frame in frames:
        await raw.call.write(frame)
    await raw.call.done_writing()


async def one_byte_pieces(raw):
    await raw.header(PARCEL)
    for _ in range(10_000):
        await raw.call.write(ONE)


HEADER = header_frame(pb.Chunk(header=pb.ParcelHeader(round="r3_upload")))
AT_ONCE = {
    "declares a terabyte": ({"length": 1 << 40}, FAILED),
    "declares all there is": ({"length": 2**64 - 1}, FAILED),
    "declares too little to upload": ({"length": INLINE_BYTES}, FAILED),
    "declares more than the quota": ({"length": len(BODY) + 1}, INVALID),
    "of another session": ({"session": b"another"}, FAILED),
    "of another round": ({"round": "r1_anchor_reveal"}, FAILED),
    "of no round": ({"round": "../../etc"}, INVALID),
    "of another sender": ({"sender": "participant-1"}, DENIED),
    "for another receiver": ({"receiver": "participant-1"}, DENIED),
}
IN_MID_STREAM = {
    "truncated": lambda raw: send(raw, body=BODY[:-1]),
    "nothing but a header": lambda raw: send(raw, body=b""),
    "a byte too many": lambda raw: send(raw, then=[ONE]),
    "everything twice": lambda raw: send(raw, body=BODY * 2),
    "in another order": lambda raw: send(raw, body=BODY[MIB:] + BODY[:MIB]),
    "a wrong checksum": lambda raw: send(raw, sha256=bytes(32)),
    "no checksum": lambda raw: send(raw, sha256=b""),
    "declares less": lambda raw: send(raw, length=len(BODY) - 1),
    "declares more": lambda raw: send(raw, body=BODY[:-1]),
    "a second header": lambda raw: send(raw, body=BODY[:MIB], then=[HEADER]),
    "an empty piece": lambda raw: send(raw, body=BODY[:MIB], then=[b"\x12\x00"]),
    "an empty chunk": lambda raw: send(raw, body=BODY[:MIB], then=[b""]),
    "10,000 one-byte pieces": one_byte_pieces,
    "no header": lambda raw: headless(raw, ONE),
    "nothing at all": headless,
}


def code_of(consortium, desk, attack):
    """Make the attack, see that it has left nothing, and that all is still to be had."""

    async def run():
        async with consortium.serving(desk, limits=LIMITS, quota=QUOTA) as address:
            async with raw_upload(address, consortium.files("participant-0")) as raw:
                attacking = asyncio.create_task(attack(raw))
                code = await raw.refusal()
                await asyncio.gather(attacking, return_exceptions=True)
            assert desk.accepted == []
            assert lies_in(desk.spool) == []
            async with consortium.client(address) as client:
                await client.deliver(PARCEL)
        return code

    code = asyncio.run(run())
    assert desk.accepted == [("participant-0", PARCEL)]
    return code


@pytest.mark.parametrize("case", AT_ONCE)
def test_a_header_that_breaks_the_rules_is_refused_before_anything_is_sent(consortium, desk, case):
    changes, code = AT_ONCE[case]
    assert code_of(consortium, desk, lambda raw: raw.header(PARCEL, **changes)) is code


@pytest.mark.parametrize("case", IN_MID_STREAM)
def test_a_stream_that_breaks_the_rules_is_refused_and_leaves_nothing(consortium, desk, case):
    code = code_of(consortium, desk, IN_MID_STREAM[case])
    # INTERNAL is gRPC's word to a caller that was still writing when it was refused.
    assert code in {INVALID, grpc.StatusCode.INTERNAL}


@pytest.mark.parametrize("message", [b"\xff\xff\xff", b"\x12\xff\xff\xff\xff\x0f"])
def test_bytes_that_are_no_message_are_refused(consortium, desk, message):
    async def run():
        async with (
            consortium.serving(desk) as address,
            raw_upload(address, consortium.files("participant-0")) as raw,
        ):
            await raw.call.write(message)
            return await raw.refusal()

    assert asyncio.run(run()) is not grpc.StatusCode.OK
    assert lies_in(desk.spool) == []


@pytest.mark.parametrize("round_", ["", "..", "../../etc", "r3_upload/x", "r3_upload.", "disclose"])
def test_no_path_is_made_of_what_a_caller_calls_a_round(consortium, desk, round_):
    code = FAILED if round_ == "disclose" else INVALID

    async def run():
        async with (
            consortium.serving(desk) as address,  # whose limits do not depend on the round
            raw_upload(address, consortium.files("participant-0")) as raw,
        ):
            await raw.header(PARCEL, round=round_)
            return await raw.refusal()

    assert asyncio.run(run()) is code
    assert list(desk.spool.rglob("*")) == []


def test_what_is_over_the_quota_is_refused_before_anything_is_sent(consortium, desk):
    heard = []

    async def run():
        async with (
            consortium.serving(desk, quota=QUOTA) as address,
            consortium.client(address) as client,
        ):
            await client.deliver(PARCEL)
            more = Parcel(b"session", "r3_upload", "participant-0", "analyst", 1, BODY)
            with pytest.raises(UploadOverQuota) as caught:
                await client.deliver(more, watch=heard.append)
            return caught.value

    error = asyncio.run(run())
    assert (error.party, error.field) == ("participant-0", "quota.round")
    assert heard == []
    assert desk.accepted == [("participant-0", PARCEL)]
    assert lies_in(desk.spool) == [".whole"]


# --- two streams -------------------------------------------------------------------------------


def test_two_streams_of_one_transfer_cannot_be_spliced(consortium, desk):
    """The older of two is ended: no byte of it lands behind the newer one's."""

    async def run():
        files = consortium.files("participant-0")
        async with (
            consortium.serving(desk) as address,
            raw_upload(address, files) as older,
            raw_upload(address, files) as newer,
        ):
            await older.header(PARCEL)
            await older.stored()
            await older.pieces(BODY[:MIB])
            await newer.header(PARCEL)
            start = await newer.stored()
            await newer.pieces(BODY[start:])
            interleaved = asyncio.create_task(older.pieces(bytes(2 * MIB)))
            await newer.call.done_writing()
            codes = await newer.refusal(), await older.refusal()
            await asyncio.gather(interleaved, return_exceptions=True)
            return codes

    assert asyncio.run(run()) == (grpc.StatusCode.OK, FAILED)
    assert desk.accepted == [("participant-0", PARCEL)]
    assert lies_in(desk.spool) == [".whole"]


def test_the_halves_of_two_bodies_cannot_be_spliced(consortium, desk):
    """The same number with two contents: neither body can end with the other's bytes."""
    other = Parcel(b"session", "r3_upload", "participant-0", "analyst", 0, BODY[::-1])

    async def run():
        files = consortium.files("participant-0")
        async with consortium.serving(desk) as address:
            async with raw_upload(address, files) as first:
                await first.header(PARCEL)
                await first.stored()
                await first.pieces(BODY[:MIB])
            async with raw_upload(address, files) as second:
                await second.header(other)
                assert await second.stored() == 0
                await second.pieces(BODY[MIB:])
                await second.call.done_writing()
                return await second.refusal()

    assert asyncio.run(run()) is INVALID
    assert desk.accepted == []
    assert lies_in(desk.spool) == []


def test_many_streams_of_one_party_leave_one(consortium, desk):
    async def run():
        credentials = channel_credentials(consortium.files("participant-0"))
        async with (
            consortium.serving(desk) as address,
            open_channel(address, "analyst", credentials) as channel,
        ):
            streams = [RawUpload(channel) for _ in range(50)]
            await asyncio.gather(*(raw.header(PARCEL) for raw in streams))
            ended = [asyncio.create_task(raw.refusal()) for raw in streams]
            for _ in streams[1:]:
                open_ones = [t for t in ended if not t.done()]
                if len(open_ones) == 1:
                    break
                await asyncio.wait(open_ones, return_when="FIRST_COMPLETED", timeout=20)
            (left,) = (raw for raw, t in zip(streams, ended, strict=True) if not t.done())
            await left.pieces(BODY)
            await left.call.done_writing()
            return sorted((await asyncio.gather(*ended)), key=lambda code: code.value[0])

    assert asyncio.run(run()) == [grpc.StatusCode.OK, *[FAILED] * 49]
    assert desk.accepted == [("participant-0", PARCEL)]


# --- time --------------------------------------------------------------------------------------


@pytest.mark.parametrize("sent", [b"", BODY[:MIB]], ids=["silent", "falls silent"])
def test_a_silent_peer_loses_its_place_and_keeps_what_it_sent(consortium, desk, sent):
    heard = []

    async def run():
        async with consortium.serving(desk, active=1, patience_s=0.2) as address:
            async with raw_upload(address, consortium.files("participant-0")) as silent:
                await silent.header(PARCEL)
                await silent.stored()
                await silent.pieces(sent)
                other = Parcel(b"session", "r3_upload", "participant-1", "analyst", 0, BODY)
                async with consortium.client(address, "participant-1") as client:
                    await client.deliver(other)
                code = await silent.refusal()
            async with consortium.client(address) as client:
                await client.deliver(PARCEL, watch=heard.append)
        return code

    assert asyncio.run(run()) is grpc.StatusCode.DEADLINE_EXCEEDED
    assert heard[0].stored == len(sent)
    assert {peer for peer, _ in desk.accepted} == {"participant-0", "participant-1"}


def test_the_slowest_peer_gets_there_in_many_streams(consortium, desk):
    """It is cut off after each half megabyte, and comes again."""

    async def run():
        files, starts = consortium.files("participant-0"), []
        async with consortium.serving(desk, patience_s=0.2) as address:
            while not desk.accepted:
                async with raw_upload(address, files) as slow:
                    await slow.header(PARCEL)
                    starts.append(start := await slow.stored())
                    await slow.pieces(BODY[start : start + 800_000])
                    if start + 800_000 >= len(BODY):
                        await slow.call.done_writing()
                    await slow.refusal()
        return starts

    starts = asyncio.run(run())
    assert len(starts) >= 4
    assert starts == sorted(set(starts))
    assert desk.accepted == [("participant-0", PARCEL)]


def test_an_upload_that_takes_long_makes_room_for_those_who_wait(consortium, desk):
    heard = {"participant-0": [], "participant-1": []}

    async def run():
        async with (
            consortium.serving(desk, active=1, turn_s=0.0, patience_s=60.0) as address,
            raw_upload(address, consortium.files("participant-0"), timeout=60.0) as holds,
            consortium.client(address, "participant-1") as other,
        ):
            await holds.header(PARCEL)
            await holds.stored()
            queued = asyncio.Event()

            def watch(progress):
                heard["participant-1"].append(progress.ahead)
                queued.set()

            theirs = Parcel(b"session", "r3_upload", "participant-1", "analyst", 0, BODY)
            waiting = asyncio.create_task(other.deliver(theirs, watch=watch))
            await asyncio.wait_for(queued.wait(), 20)
            await holds.pieces(BODY[: 2 * MIB])  # and it could go on at once
            code = await asyncio.wait_for(holds.refusal(), 30)  # long before its patience ends
            assert code is grpc.StatusCode.DEADLINE_EXCEEDED
            await waiting
            async with consortium.client(address) as client:
                await client.deliver(PARCEL, watch=heard["participant-0"].append)

    asyncio.run(run())
    assert heard["participant-0"][0].stored == 2 * MIB
    assert {peer for peer, _ in desk.accepted} == {"participant-0", "participant-1"}


def test_a_peer_that_never_says_that_it_is_done_is_refused_in_time(consortium, desk):
    async def run():
        async with (
            consortium.serving(desk, patience_s=0.2) as address,
            raw_upload(address, consortium.files("participant-0")) as raw,
        ):
            await raw.header(PARCEL)
            await raw.pieces(BODY)
            return await raw.refusal()

    assert asyncio.run(run()) is grpc.StatusCode.DEADLINE_EXCEEDED
    assert desk.accepted == []


def test_a_peer_that_sends_before_it_is_admitted_fills_no_memory_and_no_disk(consortium, desk):
    """Its pieces stay in the connection: the server does not read them before its turn."""

    async def run():
        async with (
            consortium.serving(desk, active=1) as address,
            raw_upload(address, consortium.files("participant-0")) as holds,
            raw_upload(address, consortium.files("participant-1")) as pushes,
        ):
            await holds.header(PARCEL)
            await holds.stored()
            other = Parcel(b"session", "r3_upload", "participant-1", "analyst", 0, BODY * 10)
            await pushes.header(other)
            pushing = asyncio.create_task(pushes.pieces(BODY * 10))
            done, _ = await asyncio.wait([pushing], timeout=0.5)
            assert not done
            assert lies_in(desk.spool) == [".part"]
            pushing.cancel()
            await asyncio.gather(pushing, return_exceptions=True)

    asyncio.run(run())
    assert desk.accepted == []
