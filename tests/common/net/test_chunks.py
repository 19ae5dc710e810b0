import asyncio
import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.common.errors import IdentityRefused, ProtocolViolation, WireInvalid
from collude.common.net.channel import CHUNK_BYTES, MESSAGE_BYTES
from collude.common.net.chunks import SMALLEST_CHUNK, Expected, Limits, join, split
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb

PARCEL = Parcel(b"session", "r3_upload", "participant-0", "analyst", 3, b"0123456789" * 100_000)
EXPECTED = Expected("participant-0", "analyst", Limits(body=len(PARCEL.body)))
HEADER, *PIECES = split(PARCEL)


def joined(chunks, expected=EXPECTED):
    async def stream():
        for chunk in chunks:
            yield chunk

    return asyncio.run(join(stream(), expected))


def header(**changes):
    changed = pb.Chunk()
    changed.CopyFrom(HEADER)
    for name, value in changes.items():
        setattr(changed.header, name, value)
    return changed


HOSTILE = {
    "nothing": ([], WireInvalid, "no header"),
    "an empty chunk": ([pb.Chunk()], WireInvalid, "no header"),
    "body before header": ([*PIECES, HEADER], WireInvalid, "no header"),
    "a second header": ([HEADER, HEADER, *PIECES], WireInvalid, "more than"),
    "a header at the end": ([HEADER, *PIECES, HEADER], WireInvalid, "more than"),
    "an empty piece": ([HEADER, pb.Chunk(data=b""), *PIECES], WireInvalid, "more than"),
    "truncated": ([HEADER, *PIECES[:-1]], WireInvalid, "stopped before"),
    "header alone": ([HEADER], WireInvalid, "stopped before"),
    "a piece too many": ([HEADER, *PIECES, PIECES[0]], WireInvalid, "more than"),
    "a piece twice": ([HEADER, PIECES[0], *PIECES], WireInvalid, "more than"),
    "pieces in another order": ([HEADER, *PIECES[::-1]], WireInvalid, "checksum"),
    "a wrong checksum": ([header(sha256=bytes(32)), *PIECES], WireInvalid, "checksum"),
    "no checksum": ([header(sha256=b""), *PIECES], WireInvalid, "checksum"),
    "declares less": ([header(length=len(PARCEL.body) - 1), *PIECES], WireInvalid, "more than"),
    "declares nothing": ([header(length=0), *PIECES], WireInvalid, "more than"),
    "declares too much": ([header(length=len(PARCEL.body) + 1)], ProtocolViolation, "too long"),
    "declares everything": ([header(length=2**64 - 1)], ProtocolViolation, "too long"),
    "one-byte pieces": (
        [header(length=10_000), *[pb.Chunk(data=b"x")] * 10_000], WireInvalid, "more than",
    ),
    "another sender": ([header(sender="participant-1"), *PIECES], IdentityRefused, "sender"),
    "a round that is a path": ([header(round="r3/../../x"), *PIECES], WireInvalid, "round"),
    "a round that no file can be named by": (
        [header(round="r3\0"), *PIECES], WireInvalid, "round",
    ),
    "a round without end": ([header(round="r" * 33), *PIECES], WireInvalid, "round"),
    "no round": ([header(round=""), *PIECES], WireInvalid, "round"),
    "a session without end": ([header(session=bytes(33)), *PIECES], WireInvalid, "session"),
    "another receiver": ([header(receiver="attacker"), *PIECES], IdentityRefused, "receiver"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_a_stream_that_breaks_the_rules_is_refused_and_its_sender_named(case):
    chunks, kind, text = HOSTILE[case]
    with pytest.raises(kind, match=text) as caught:
        joined(chunks)
    assert caught.value.party == "participant-0"


def test_a_stream_is_not_read_past_the_first_fault():
    read = []

    def chunks():
        for chunk in (header(length=10), *PIECES * 1000):
            read.append(chunk)
            yield chunk

    with pytest.raises(WireInvalid):
        joined(chunks())
    assert len(read) == 2


@given(
    st.builds(
        Parcel,
        session=st.binary(max_size=32),
        round=st.from_regex("[a-z0-9_]{1,32}", fullmatch=True),
        sender=st.just("participant-0"),
        receiver=st.just("analyst"),
        sequence=st.integers(0, 2**64 - 1),
        body=st.binary(max_size=100),
    )
)
def test_a_parcel_comes_out_as_it_went_in(parcel):
    limits = Limits(body=100)
    assert joined(split(parcel), dataclasses.replace(EXPECTED, limits=limits)) == parcel


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1])
def test_pieces_are_whole_but_for_the_last(size):
    parcel = dataclasses.replace(PARCEL, body=bytes(size))
    sizes = [len(chunk.data) for chunk in split(parcel)][1:]
    assert sizes == [CHUNK_BYTES] * (size // CHUNK_BYTES) + [size % CHUNK_BYTES] * (
        size % CHUNK_BYTES > 0
    )
    assert all(chunk.ByteSize() <= MESSAGE_BYTES for chunk in split(parcel))


@pytest.mark.parametrize("size", [SMALLEST_CHUNK, 1024 * 1024])
def test_a_sender_may_cut_smaller_or_larger(size):
    body = PARCEL.body
    pieces = [pb.Chunk(data=body[i : i + size]) for i in range(0, len(body), size)]
    assert joined([HEADER, *pieces]) == PARCEL


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_only_bytes_are_cut(kind):
    with pytest.raises(TypeError, match="must be bytes"):
        split(dataclasses.replace(PARCEL, body=kind(b"x")))


def test_a_limit_of_a_round_replaces_the_general_one():
    limits = Limits(body=10, rounds={"r3_upload": 20})
    assert (limits.of("r3_upload"), limits.of("r0_join")) == (20, 10)
