"""A parcel: one logical message on its way from one party to another. Its body is opaque here."""

import hashlib
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path
from typing import Self

Body = bytes | mmap
"""A message's bytes: in memory, or a read-only map of a file that holds exactly them."""


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
    body: Body = field(repr=False)
    # Not in the constructor, so that a copy with another body does not keep them.
    _checksum: bytes = field(default=b"", init=False, repr=False, compare=False)
    _file: Path | None = field(default=None, init=False, repr=False, compare=False)

    def digest(self) -> bytes:
        """Return the 32 bytes of SHA-256(body), computed once."""
        if not self._checksum:
            object.__setattr__(self, "_checksum", hashlib.sha256(self.body).digest())
        return self._checksum

    @property
    def file(self) -> Path | None:
        """Where this party's disk holds the body, if it does."""
        return self._file

    def stored_at(self, file: Path, checksum: bytes) -> Self:
        """Note that `file` holds exactly the body, and that its SHA-256 is known."""
        object.__setattr__(self, "_file", file)
        object.__setattr__(self, "_checksum", checksum)
        return self


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
