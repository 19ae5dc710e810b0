"""One silo as the querier sees it: where it stands, and what is still to come from it."""

from collections import Counter, deque
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from collude.attacker.releases.channels import Channel, Integers
from collude.codef.release.signing import check_answer
from collude.common.errors import ProtocolViolation, ReleaseRefused
from collude.common.protocol.parcel import Parcel
from collude.common.protocol.release_messages import HANDLE_BYTES, Answer, Window


class Standing(Enum):
    """Where a silo stands in a period."""

    AWAITED = auto()  # its next window is to come
    OPEN = auto()
    OVER = auto()  # it said that the period is over
    GONE = auto()  # silent past its deadline; back when it opens another period's window
    REFUSED = auto()  # sent what must not be; for good


class Asked(NamedTuple):
    """A query that was sent: its digest and epoch, and which questions of the round it holds."""

    digest: bytes
    epoch: int
    positions: Integers


@dataclass(eq=False, repr=False)
class Link:
    """What the querier keeps of one silo.

    Attributes:
        name: the silo's.
        index: into the silos of the knowledge of this period.
        key: raw Ed25519 key.
        standing: where it stands.
        session: of its last window's parcel; goes back on every query.
        handles: of its first window in this period, or nothing.
        epoch: of its last window, -1 before the first.
        asked: queries without an answer, in the order in which they were sent.
        unproved: receipts that its next entry must hold, in the order of its answers.
        entered: epoch of the last receipts, -1 before the first.
        early: what it sent of a period that has not begun here.
        latest: the parcel of its last window.
    """

    name: str
    index: int
    key: bytes = field(repr=False)
    standing: Standing = Standing.AWAITED
    session: bytes = b""
    handles: bytes = b""
    epoch: int = -1
    asked: deque[Asked] = field(default_factory=deque)
    unproved: list[bytes] = field(default_factory=list)
    entered: int = -1
    early: list[Parcel] = field(default_factory=list)
    latest: Parcel | None = None

    @property
    def lives(self) -> bool:
        """Whether it takes part in this period."""
        return self.standing not in {Standing.GONE, Standing.REFUSED}

    @property
    def owes(self) -> bool:
        """Whether an answer must come; one to an empty query need not."""
        return self.lives and any(len(asked.positions) for asked in self.asked)

    def begin(self, index: int) -> list[Parcel]:
        """Stand before a period's first window; return what came of it already."""
        if self.standing is not Standing.REFUSED and (self.early or self.lives):
            self.standing = Standing.AWAITED
        early, self.early = self.early, []
        self.index, self.epoch, self.entered, self.handles = index, -1, -1, b""
        self.asked.clear()
        self.unproved.clear()
        return early

    def opens(self, window: Window, parcel: Parcel, persons: int, epochs: int) -> None:
        """Take a window that opens, in a period of so many persons and epochs.

        Raises:
            ProtocolViolation: it is not a later epoch's, or later than the last.
            ReleaseRefused: its handles are not those of so many persons, or change.
        """
        if not self.epoch < window.epoch < epochs:
            raise ProtocolViolation(
                "opens a window again, or one too many",
                party=self.name,
                field="epoch",
                expected=f"from {self.epoch + 1} to {epochs - 1}",
                got=window.epoch,
            )
        if self.epoch < 0 or window.handles:
            _check_handles(self.name, window.handles, persons)
        if self.epoch >= 0 and window.handles not in {b"", self.handles}:
            raise ReleaseRefused("changes the handles", party=self.name, field="handles")
        self.handles = self.handles or window.handles
        self.epoch, self.session, self.standing = window.epoch, parcel.session, Standing.OPEN
        self.latest = parcel

    def postpone(self) -> None:
        """Keep the window that it opened for the period that begins next: it is not of this one."""
        self.standing = Standing.GONE
        if self.latest is not None:
            self.early.append(self.latest)

    def answered(self, answer: Answer, querier: str, channel: Channel) -> Asked:
        """Return the query that this answers.

        Raises:
            ProtocolViolation: nothing was asked.
            ReleaseRefused: it has another shape, or holds a number that is no answer.
            IdentityRefused: it is not signed, or signed for another query.
        """
        while self.asked and not len(self.asked[0].positions) and len(answer.values):
            self.asked.popleft()  # an empty query may be left without an answer
        if not self.asked:
            raise ProtocolViolation("answers what was not asked", party=self.name, field="answer")
        asked = self.asked.popleft()
        count = len(asked.positions)
        found = (answer.epoch, len(answer.values), len(answer.levels))
        if found != (asked.epoch, count, count):
            raise ReleaseRefused(
                "answers another epoch, or another number of questions",
                party=self.name,
                field="answer",
                expected=f"{count} values and levels of epoch {asked.epoch}",
                got=f"{found[1]} values and {found[2]} levels of epoch {found[0]}",
            )
        if not channel.allows(answer.values, answer.levels).all():
            raise ReleaseRefused(
                "a value or level is none of this mechanism's",
                party=self.name,
                field="answer",
                expected=f"levels from -1 to {channel.levels - 1}, values that go with them",
            )
        check_answer((self.name, querier), asked.digest, answer, self.key)
        return asked


def _check_handles(silo: str, handles: bytes, persons: int) -> None:
    split = split_handles(handles)
    if len(handles) != HANDLE_BYTES * persons or any(one >= two for one, two in pairwise(split)):
        raise ReleaseRefused(
            "the handles are not one for each person, in order",
            party=silo,
            field="handles",
            expected=f"{persons} of {HANDLE_BYTES} bytes, ascending",
            got=f"{len(handles)} bytes",
        )


def split_handles(handles: bytes) -> tuple[bytes, ...]:
    """Return the handles, 16 bytes each."""
    return tuple(handles[i : i + HANDLE_BYTES] for i in range(0, len(handles), HANDLE_BYTES))


def agreed(links: list[Link]) -> tuple[bytes, bytes]:
    """Return session and handles that most silos show; of equally many, those of the first."""
    named = sorted(links, key=lambda link: link.name)
    votes = Counter((link.session, link.handles) for link in named)
    return max(((link.session, link.handles) for link in named), key=votes.__getitem__)


def rows(handles: bytes, chosen: Integers) -> bytes:
    """Return the chosen handles, one after the other."""
    table = np.frombuffer(handles, dtype=np.uint8).reshape(-1, HANDLE_BYTES)
    return table[chosen].tobytes()
