"""The canonical encoding: one message, one byte string, and back.

    lp(kind) || lp(header) || arrays

with `lp` a 4-byte big-endian length prefix, `kind` the class name, `header` the protobuf
message of that name, and the arrays row-major, little-endian, in the order in which their
specs stand in the header. Bytes that decode but would not be written again are refused, so a
message has one digest.
"""

import hashlib
from typing import Any, cast

from google.protobuf.message import DecodeError

from collude.common.encoding import PREFIX_BYTES, lp
from collude.common.errors import WireInvalid
from collude.common.protocol.codec_fields import Payload, Reader, fill, read
from collude.common.protocol.codec_kinds import KINDS
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.parcel import Body

_BY_NAME = {kind.__name__: kind for kind in KINDS}

LONGEST_HEADER = 8 * 1024**2
"""Bytes. A parsed header takes several times its length in memory, the arrays none."""


def kind_of(message: AnyMessage) -> str:
    """Return the name under which a message travels."""
    return type(message).__name__


def encode_message(message: AnyMessage) -> bytes:
    """Return the canonical bytes of a message.

    Raises:
        ValueError: a field is of the wrong type, length or shape; the fault is the caller's.
    """
    head, payload = _parts(message)
    return b"".join((head, *(array.data for array in payload)))


def message_digest(body: Body) -> bytes:
    """Return SHA-256 over a message's canonical bytes."""
    return hashlib.sha256(body).digest()


def digest_of(message: AnyMessage) -> bytes:
    """Return `message_digest(encode_message(message))` without a second copy of the arrays.

    Raises:
        ValueError: a field is of the wrong type, length or shape; the fault is the caller's.
    """
    head, payload = _parts(message)
    checksum = hashlib.sha256(head)
    for array in payload:
        checksum.update(array.data)
    return checksum.digest()


def _parts(message: AnyMessage) -> tuple[bytes, Payload]:
    """Return the canonical bytes up to the arrays, and the arrays as they lie in memory."""
    header = KINDS[type(message)]()
    payload: Payload = []
    fill(message, header, payload)
    head = lp(kind_of(message).encode()) + lp(header.SerializeToString(deterministic=True))
    return head, payload


def decode_message(body: Body, party: str | None = None) -> AnyMessage:
    """Return the message of these canonical bytes; arrays are read-only views of them.

    Args:
        body: what `encode_message` wrote.
        party: who sent it, for the error.

    Raises:
        WireInvalid: truncated, of unknown kind, malformed, not canonical, or trailing bytes.
    """
    try:
        message, consumed = _decode(body)
        head, _ = _parts(message)
    except (DecodeError, ValueError, OverflowError) as error:
        raise WireInvalid("a message cannot be decoded", party=party, got=str(error)) from error
    # Every array is a view of the body: its bytes are what would be written again, whatever
    # they are. So only what stands before the arrays can be written in two ways.
    if consumed != len(body) or body[: len(head)] != head:
        raise WireInvalid(
            "a message is not in canonical form",
            party=party,
            field=kind_of(message),
            expected=f"{consumed} canonical bytes",
            got=f"{len(body)} bytes",
        )
    return cast(AnyMessage, message)


def _decode(body: Body) -> tuple[Any, int]:
    name, offset = _take(body, 0)
    kind = _BY_NAME.get(name.decode("ascii", "replace"))
    if kind is None:
        raise ValueError(f"unknown kind {name[:64]!r}")
    header_bytes, offset = _take(body, offset)
    header = KINDS[kind]()
    header.ParseFromString(header_bytes)
    reader = Reader(body, offset)
    return read(kind, header, reader), reader.offset


def _take(body: Body, offset: int) -> tuple[bytes, int]:
    start = offset + PREFIX_BYTES
    length = int.from_bytes(body[offset:start], "big")
    end = start + length
    if length > LONGEST_HEADER:
        raise ValueError(f"a header of {length} bytes, more than {LONGEST_HEADER}")
    if start > len(body) or end > len(body):
        raise ValueError(f"truncated at byte {len(body)}")
    return body[start:end], end
