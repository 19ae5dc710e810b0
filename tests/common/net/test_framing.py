"""The hand-made bytes of a chunk against protobuf's own."""

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from collude.common.net.framing import header_frame, piece_frame, read_frame
from collude.wire.v1 import mail_pb2 as pb

HEADER = pb.Chunk(header=pb.ParcelHeader(round="r3_upload", length=7))


@pytest.mark.parametrize("message", [b"\xff\xff\xff", b"\x12", b"\x12\xff\xff\xff\xff\xff\xff",
                                     b"\x12\x05abc", b"\x0a\x05"])  # fmt: skip
def test_bytes_that_are_no_chunk_are_refused(message):
    with pytest.raises(DecodeError):
        read_frame(message)


@given(st.binary(max_size=300))
def test_whatever_comes_is_read_as_protobuf_reads_it(message):
    try:
        chunk = pb.Chunk.FromString(message)
    except DecodeError:
        with pytest.raises(DecodeError):
            read_frame(message)
        return
    frame = read_frame(message)
    if isinstance(frame, memoryview):
        assert bytes(frame) == chunk.data
    else:
        assert frame == chunk.header


@pytest.mark.parametrize("size", [1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152])
def test_a_piece_is_written_as_protobuf_writes_it(size):
    piece = bytes(size)
    frame = piece_frame(memoryview(piece))
    assert frame == pb.Chunk(data=piece).SerializeToString()
    assert bytes(read_frame(frame)) == piece


def test_a_header_is_read_as_it_was_written():
    assert read_frame(header_frame(HEADER)) == HEADER.header


def test_a_chunk_with_nothing_in_it_is_an_empty_piece():
    assert bytes(read_frame(b"")) == b""
    assert bytes(read_frame(b"\x12\x00")) == b""


def test_a_piece_is_not_copied():
    message = piece_frame(memoryview(bytes(1000)))
    assert read_frame(message).obj is message
