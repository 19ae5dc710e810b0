"""Parcels as streams of chunks, and back, with everything checked before anything is kept."""

import hashlib
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field

from collude.common.errors import IdentityRefused, ProtocolViolation, WireInvalid
from collude.common.net.channel import CHUNK_BYTES
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb

SMALLEST_CHUNK = 64 * 1024
"""A sender may cut a body smaller than `CHUNK_BYTES`, but into no more pieces than of this size."""

DEFAULT_BODY_BYTES = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a body may be, in bytes.

    Attributes:
        body: of a round that is not named.
        rounds: round -> limit.
    """

    body: int = DEFAULT_BODY_BYTES
    rounds: Mapping[str, int] = field(default_factory=dict)

    def of(self, round_name: str) -> int:
        """Return the limit for a round."""
        return self.rounds.get(round_name, self.body)


@dataclass(frozen=True, slots=True)
class Expected:
    """What the one who reads a stream knows before: both ends' names, and the limits."""

    sender: str
    receiver: str
    limits: Limits


def split(parcel: Parcel) -> Iterator[pb.Chunk]:
    """Return the chunks of a parcel: its header, then the body in pieces of `CHUNK_BYTES`.

    Raises:
        TypeError: the body is not `bytes`: gRPC would stop without a word in mid-stream.
    """
    if type(parcel.body) is not bytes:
        raise TypeError(f"a body must be bytes, not {type(parcel.body).__name__}")
    header = pb.ParcelHeader(
        session=parcel.session,
        round=parcel.round,
        sender=parcel.sender,
        receiver=parcel.receiver,
        sequence=parcel.sequence,
        length=len(parcel.body),
        sha256=parcel.digest(),
    )
    return _pieces(header, parcel.body)


def _pieces(header: pb.ParcelHeader, body: bytes) -> Iterator[pb.Chunk]:
    yield pb.Chunk(header=header)
    for start in range(0, len(body), CHUNK_BYTES):
        yield pb.Chunk(data=body[start : start + CHUNK_BYTES])


async def join(chunks: AsyncIterator[pb.Chunk], expected: Expected) -> Parcel:
    """Return the parcel that a stream carries.

    Raises:
        IdentityRefused: the header names another sender than the certificate, or another
            receiver than the reader.
        ProtocolViolation: the declared length is over the limit.
        WireInvalid: no header first, a second one, too many pieces, more or fewer bytes than
            declared, or another checksum.
    """
    header = await _header(chunks, expected)
    body = await _body(chunks, header, expected)
    return Parcel(
        session=header.session,
        round=header.round,
        sender=header.sender,
        receiver=header.receiver,
        sequence=header.sequence,
        body=body,
    )


async def _body(
    chunks: AsyncIterator[pb.Chunk], header: pb.ParcelHeader, expected: Expected
) -> bytes:
    pieces: list[bytes] = []
    checksum = hashlib.sha256()
    received, most_pieces = 0, header.length // SMALLEST_CHUNK + 1
    async for chunk in chunks:
        received += len(chunk.data)
        # A second header and an empty piece carry no data.
        if not chunk.data or received > header.length or len(pieces) == most_pieces:
            raise _invalid(expected, "sent more than it declared", header.length, received)
        pieces.append(chunk.data)
        checksum.update(chunk.data)
    if received != header.length:
        raise _invalid(expected, "stopped before the end", header.length, received)
    if checksum.digest() != header.sha256:
        raise _invalid(expected, "the checksum is wrong", header.sha256.hex(), checksum.hexdigest())
    return b"".join(pieces)


async def _header(chunks: AsyncIterator[pb.Chunk], expected: Expected) -> pb.ParcelHeader:
    first = await anext(chunks, None)
    if first is None or first.WhichOneof("content") != "header":
        raise _invalid(expected, "sent no header first", "a header", "none")
    header = first.header
    for field_name in ("sender", "receiver"):
        wanted, got = getattr(expected, field_name), getattr(header, field_name)
        if got != wanted:
            raise IdentityRefused(
                "the header names another party than the connection",
                party=expected.sender,
                field=field_name,
                expected=wanted,
                got=repr(got),
            )
    limit = expected.limits.of(header.round)
    if header.length > limit:
        raise ProtocolViolation(
            "the message is too long",
            party=expected.sender,
            field="length",
            expected=f"at most {limit} bytes in {header.round!r}",
            got=header.length,
        )
    return header


def _invalid(expected: Expected, reason: str, wanted: object, got: object) -> WireInvalid:
    return WireInvalid(reason, party=expected.sender, field="body", expected=wanted, got=got)
