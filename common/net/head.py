"""What is said of a parcel before its body comes."""

from dataclasses import dataclass

from collude.common.encoding import digest
from collude.common.protocol.parcel import Body, Parcel
from collude.wire.v1 import mail_pb2 as pb


@dataclass(frozen=True, slots=True)
class Head:
    """A parcel without its body. Of another party's making: only the checks say that it is true.

    Attributes:
        session: as in `Parcel`, like round, sender, receiver and sequence.
        length: of the body in bytes.
        sha256: of the body, 32 bytes.
    """

    session: bytes
    round: str
    sender: str
    receiver: str
    sequence: int
    length: int
    sha256: bytes

    @property
    def key(self) -> str:
        """Return 32 hexadecimal digits that stand for all fields: equal heads, one transfer."""
        parties = (self.sender, self.receiver)
        place = (self.session, self.round, *parties, self.sequence)
        return digest("collude/v1/transfer", *place, self.length, self.sha256).hex()[:32]

    def with_body(self, body: Body) -> Parcel:
        """Return the parcel of this head and a body that was checked against it."""
        return Parcel(self.session, self.round, self.sender, self.receiver, self.sequence, body)


def head_of(parcel: Parcel) -> Head:
    """Return the head of a parcel; its checksum is computed unless it is known."""
    return Head(
        session=parcel.session,
        round=parcel.round,
        sender=parcel.sender,
        receiver=parcel.receiver,
        sequence=parcel.sequence,
        length=len(parcel.body),
        sha256=parcel.digest(),
    )


def to_wire(head: Head) -> pb.Chunk:
    """Return the first chunk of a stream."""
    return pb.Chunk(
        header=pb.ParcelHeader(
            session=head.session,
            round=head.round,
            sender=head.sender,
            receiver=head.receiver,
            sequence=head.sequence,
            length=head.length,
            sha256=head.sha256,
        )
    )


def from_wire(header: pb.ParcelHeader) -> Head:
    """Return what a header says, unchecked."""
    return Head(
        session=header.session,
        round=header.round,
        sender=header.sender,
        receiver=header.receiver,
        sequence=header.sequence,
        length=header.length,
        sha256=header.sha256,
    )
