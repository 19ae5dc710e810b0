"""What a party received, append-only, and the digest over a whole run.

On disk: `PARTY.jsonl`, one line for each parcel, and the body of each as
`PARTY/<number>-<sender>-<kind>.bin`. Only logical messages stand there: no chunks, no retries,
no times in what is digested.

    digest = SHA-256(lp(TAG) || lp(item) for every item, sorted)
    item   = lp(round) || lp(sender) || lp(receiver) || lp(sequence) || lp(SHA-256(body))

over the messages of rounds r0 to r3, of CoDef and of releases, each counted once, from its
receiver's transcript; `sequence` is in decimal and `lp` is a 4-byte big-endian length prefix.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Protocol

from collude.common.atomic import PUBLIC, sync_folder
from collude.common.encoding import encode
from collude.common.errors import RunDirectoryInvalid
from collude.common.ids import DIGESTED_ROUNDS
from collude.common.protocol.parcel import Body, Parcel

DIGEST_TAG = "collude/v1/transcript"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a transcript.

    Attributes:
        round: value of `Round`.
        sender: who sent it.
        receiver: whose transcript this is.
        sequence: from 0, counted per (sender, receiver).
        session: hexadecimal, empty before a session was agreed.
        bytes: length of the body.
        sha256: of the body, hexadecimal.
        blob: the body's file, relative to the transcripts' folder; empty in memory.
        at: seconds since the epoch when it came; not in the digest.
    """

    round: str
    sender: str
    receiver: str
    sequence: int
    session: str
    bytes: int
    sha256: str
    blob: str
    at: float


class Transcript(Protocol):
    """Where a party notes what it received."""

    def record(self, parcel: Parcel) -> None:
        """Note one parcel, once, in the order of arrival."""


def _entry(parcel: Parcel, blob: str, at: float) -> Entry:
    return Entry(
        round=parcel.round,
        sender=parcel.sender,
        receiver=parcel.receiver,
        sequence=parcel.sequence,
        session=parcel.session.hex(),
        bytes=len(parcel.body),
        sha256=parcel.digest().hex(),
        blob=blob,
        at=at,
    )


class MemoryTranscript:
    """A transcript that lasts as long as the process."""

    def __init__(self) -> None:
        """Start empty."""
        self.entries: list[Entry] = []
        self.parcels: list[Parcel] = []

    def record(self, parcel: Parcel) -> None:
        """Note one parcel."""
        self.entries.append(_entry(parcel, "", 0.0))
        self.parcels.append(parcel)


class FileTranscript:
    """A transcript on disk: the body first, then the line.

    Each is forced onto the disk where it must outlast the machine. A simulation's outlasts the
    process alone: it can be made again, and two forced writes a message take most of its time.
    """

    def __init__(
        self, folder: Path, party: str, clock: Callable[[], float], *, forced: bool = True
    ) -> None:
        """Append to `folder/PARTY.jsonl`, behind what an earlier session left."""
        self._folder, self._party, self._clock, self._forced = folder, party, clock, forced
        # Uploads and labels lie there: for nobody else on this machine, wherever the folder is.
        (folder / party).mkdir(mode=0o700, parents=True, exist_ok=True)
        self._count = sum(1 for _ in (folder / party).iterdir())

    def record(self, parcel: Parcel) -> None:
        """Note one parcel."""
        blob = f"{self._party}/{self._count:05d}-{parcel.sender}-{parcel.round}.bin"
        self._count += 1
        if parcel.file is None or not _linked(parcel.file, self._folder / blob):
            _write(self._folder / blob, "xb", parcel.body, forced=self._forced)
        line = json.dumps(asdict(_entry(parcel, blob, self._clock()))) + "\n"
        path = self._folder / f"{self._party}.jsonl"
        _write(path, "ab", line.encode(), forced=self._forced)


def _linked(stored: Path, path: Path) -> bool:
    """Give a body that is on this disk a second name; False where the disk cannot do that."""
    try:
        path.hardlink_to(stored)
        path.chmod(PUBLIC)  # as every other body; the folder says who may look
    except OSError:
        return False
    sync_folder(path.parent)
    return True


def _write(path: Path, mode: str, content: Body, *, forced: bool) -> None:
    with path.open(mode) as file:
        file.write(content)
        file.flush()
        if forced:
            os.fsync(file.fileno())


def read_transcript(folder: Path, party: str) -> list[Entry]:
    """Return a party's lines; none if it received nothing.

    Raises:
        RunDirectoryInvalid: a line cannot be read.
    """
    path = folder / f"{party}.jsonl"
    if not path.exists():
        return []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [_checked(Entry(**json.loads(line)), party) for line in lines]
    except (TypeError, ValueError, OSError) as error:
        raise RunDirectoryInvalid(
            "a transcript cannot be read", party=party, field=str(path), got=str(error)
        ) from error


def _checked(entry: Entry, party: str) -> Entry:
    """Return a line that was read, if every value in it is of its kind.

    Raises:
        TypeError: a value is of another type.
        ValueError: a hash is none, or the line or its file is another party's.
    """
    for field in fields(Entry):
        value = getattr(entry, field.name)
        if type(value) is not field.type:
            raise TypeError(f"{field.name} is {value!r}")
    if len(bytes.fromhex(entry.sha256)) != hashlib.sha256().digest_size:
        raise ValueError(f"sha256 is {entry.sha256!r}")
    bytes.fromhex(entry.session)
    if entry.receiver != party or Path(entry.blob).parent != Path(party):
        raise ValueError(f"the line is of {entry.receiver!r}, its file {entry.blob!r}")
    return entry


def read_parcels(folder: Path, party: str) -> Iterator[Parcel]:
    """Yield what a party received, bodies checked against their lines.

    Raises:
        RunDirectoryInvalid: a body is missing or was changed.
    """
    for entry in read_transcript(folder, party):
        try:
            body = (folder / entry.blob).read_bytes()
        except OSError as error:
            raise RunDirectoryInvalid(
                "a message's file is missing", party=party, field=entry.blob
            ) from error
        if hashlib.sha256(body).hexdigest() != entry.sha256:
            raise RunDirectoryInvalid(
                "a message was changed after the run",
                party=party,
                field=entry.blob,
                expected=f"SHA-256 {entry.sha256}",
            )
        yield Parcel(
            session=bytes.fromhex(entry.session),
            round=entry.round,
            sender=entry.sender,
            receiver=entry.receiver,
            sequence=entry.sequence,
            body=body,
        )


def transcript_digest(entries: Iterable[Entry]) -> str:
    """Return the digest over the entries of all parties, as 64 hexadecimal digits."""
    items = sorted(
        encode(e.round, e.sender, e.receiver, e.sequence, bytes.fromhex(e.sha256))
        for e in entries
        if e.round in DIGESTED_ROUNDS
    )
    return hashlib.sha256(encode(DIGEST_TAG, *items)).hexdigest()
