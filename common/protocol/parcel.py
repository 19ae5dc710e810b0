"""A parcel: one logical message on its way from one party to another. Its body is opaque here."""

import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Parcel:
    """One numbered message. The body is not shown in a repr: it may be large or secret.

    Attributes:
        session: the session's identifier; empty before one is agreed.
        round: value of `collude.common.ids.Round`.
        sender: name of the party that sends it.
        receiver: name of the party it is for.
        sequence: from 0, counted per (sender, receiver).
        body: one canonical logical message, possibly large.
    """

    session: bytes
    round: str
    sender: str
    receiver: str
    sequence: int
    body: bytes = field(repr=False)

    def digest(self) -> bytes:
        """Return the 32 bytes of SHA-256(body)."""
        return hashlib.sha256(self.body).digest()


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What a session wants sent; sender and number are added on the way out.

    Attributes:
        receiver: name of the party it is for.
        round: value of `collude.common.ids.Round`.
        session: the session's identifier; empty before one is agreed.
        body: one canonical logical message, possibly large.
    """

    receiver: str
    round: str
    session: bytes
    body: bytes = field(repr=False)
