"""Parcels as streams of chunks, and back, with everything checked before anything is kept."""

import hashlib
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field

from collude.common.errors import IdentityRefused, ProtocolViolation, WireInvalid
from collude.common.net.channel import CHUNK_BYTES
from collude.common.net.head import Head, from_wire, head_of, to_wire
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb

SMALLEST_CHUNK = 64 * 1024
"""A sender may cut a body smaller than `CHUNK_BYTES`, but into no more pieces than of this size."""

DEFAULT_BODY_BYTES = 2 * 1024**3

LONGEST_SESSION = 32
_ROUND = re.compile(r"[a-z0-9_]{1,32}")
"""A round's name becomes part of a file's name at the reader."""


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

    def capped(self, most: int) -> "Limits":
        """Return the same limits, none of them over `most`."""
        rounds = {name: min(limit, most) for name, limit in self.rounds.items()}
        return Limits(min(self.body, most), rounds)


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
    return _pieces(to_wire(head_of(parcel)), parcel.body)


def _pieces(header: pb.Chunk, body: bytes) -> Iterator[pb.Chunk]:
    yield header
    for start in range(0, len(body), CHUNK_BYTES):
        yield pb.Chunk(data=body[start : start + CHUNK_BYTES])


def most_pieces(length: int) -> int:
    """Return into how many pieces a sender may cut this many bytes."""
    return length // SMALLEST_CHUNK + 1


async def join(chunks: AsyncIterator[pb.Chunk], expected: Expected) -> Parcel:
    """Return the parcel that a stream carries.

    Raises:
        IdentityRefused: the header names another sender than the certificate, or another
            receiver than the reader.
        ProtocolViolation: the declared length is over the limit.
        WireInvalid: no header first, a second one, too many pieces, more or fewer bytes than
            declared, or another checksum.
    """
    first = await anext(chunks, None)
    is_header = first is not None and first.WhichOneof("content") == "header"
    head = read_head(first.header if first is not None and is_header else None, expected)
    return head.with_body(await _body(chunks, head))


async def _body(chunks: AsyncIterator[pb.Chunk], head: Head) -> bytes:
    pieces: list[bytes] = []
    checksum = hashlib.sha256()
    received = 0
    async for chunk in chunks:
        received += len(chunk.data)
        # A second header and an empty piece carry no data.
        if not chunk.data or received > head.length or len(pieces) == most_pieces(head.length):
            raise broken(head, "sent more than it declared", head.length, received)
        pieces.append(chunk.data)
        checksum.update(chunk.data)
    if received != head.length:
        raise broken(head, "stopped before the end", head.length, received)
    if checksum.digest() != head.sha256:
        raise broken(head, "the checksum is wrong", head.sha256.hex(), checksum.hexdigest())
    return b"".join(pieces)


def read_head(header: pb.ParcelHeader | None, expected: Expected) -> Head:
    """Return what a stream's header says, once it is what the reader expects.

    Raises:
        IdentityRefused: it names another sender than the certificate, or another receiver.
        ProtocolViolation: the declared length is over the limit.
        WireInvalid: there is none, or it holds what is no round's name or no session's id.
    """
    if header is None:
        raise WireInvalid(
            "sent no header first",
            party=expected.sender,
            field="body",
            expected="a header",
            got="none",
        )
    head = from_wire(header)
    for field_name in ("sender", "receiver"):
        wanted, got = getattr(expected, field_name), getattr(head, field_name)
        if got != wanted:
            raise IdentityRefused(
                "the header names another party than the connection",
                party=expected.sender,
                field=field_name,
                expected=wanted,
                got=repr(got),
            )
    _check_place(head)
    _check_length(head, expected.limits.of(head.round))
    return head


def _check_place(head: Head) -> None:
    # Both are kept for every parcel, so a sender must not choose how long they are.
    length = len(head.session)
    for field_name, holds, wanted, got in (
        ("round", _ROUND.fullmatch(head.round), _ROUND.pattern, repr(head.round[:40])),
        ("session", length <= LONGEST_SESSION, f"at most {LONGEST_SESSION} bytes", length),
    ):
        if not holds:
            raise WireInvalid(
                f"the header holds no usable {field_name}",
                party=head.sender,
                field=field_name,
                expected=wanted,
                got=got,
            )


def _check_length(head: Head, limit: int) -> None:
    if head.length > limit:
        raise ProtocolViolation(
            "the message is too long",
            party=head.sender,
            field="length",
            expected=f"at most {limit} bytes in {head.round!r}",
            got=head.length,
        )


def broken(head: Head, reason: str, wanted: object, got: object) -> WireInvalid:
    """Return the error of a body that is not what its head says."""
    return WireInvalid(reason, party=head.sender, field="body", expected=wanted, got=got)
