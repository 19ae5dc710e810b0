"""Chunks of an upload as bytes, without a copy of the body that protobuf would make.

The bytes are those of `Chunk` in mail.proto: field 2 is the body's piece. A piece comes out as a
view of the message that was received, and goes in as a view of the body.
"""

from collude.wire.v1 import mail_pb2 as pb

_DATA_TAG = b"\x12"  # field 2, length-delimited
_MOST_VARINT_BYTES = 5
_MORE = 0x80  # bit 8 of a byte: more groups follow

Frame = pb.ParcelHeader | memoryview


def header_frame(chunk: pb.Chunk) -> bytes:
    """Return the bytes of a chunk that protobuf has made."""
    return chunk.SerializeToString()


def piece_frame(piece: memoryview) -> bytes:
    """Return the bytes of a chunk with this piece of a body; an empty one is not sent."""
    return b"".join((_DATA_TAG, _varint(len(piece)), piece))


def read_frame(message: bytes) -> Frame:
    """Return a chunk's header, or its piece as a view; empty where it has neither.

    Raises:
        DecodeError: the bytes are no chunk.
    """
    if message[:1] == _DATA_TAG:
        length, start = _read_varint(message, len(_DATA_TAG))
        if start + length == len(message):
            return memoryview(message)[start:]
    chunk = pb.Chunk.FromString(message)
    return chunk.header if chunk.WhichOneof("content") == "header" else memoryview(chunk.data)


def _varint(number: int) -> bytes:
    """Return a number in groups of 7 bits, the lowest first; all but the last have bit 8 set."""
    groups = []
    while number >= _MORE:
        groups.append(number % _MORE | _MORE)
        number >>= 7
    return bytes([*groups, number])


def _read_varint(message: bytes, start: int) -> tuple[int, int]:
    """Return the number and where it ends; a number that does not end is 0 long."""
    number = 0
    for index, byte in enumerate(message[start : start + _MOST_VARINT_BYTES]):
        number |= (byte % _MORE) << (7 * index)
        if byte < _MORE:
            return number, start + index + 1
    return 0, 0
