"""One body on its way to the disk.

Bytes are written where they belong in a file that has its full length from the start, so a full
disk is met before anything is sent. A mark beside it says how many bytes are there for certain:
it is written after they are flushed, so it may say too little, never too much. The body is
accepted by a flush, a rename and a flush of the folder, in this order, once its checksum holds.
"""

import contextlib
import errno
import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from collude.common.atomic import PRIVATE, sync_folder
from collude.common.net.chunks import broken
from collude.common.net.head import Head

SYNC_BYTES = 8 * 1024**2
"""Bytes between two flushes. What is not flushed is sent again after a crash."""

READ_BYTES = 1024**2
_MARK_BYTES = 8
_MOST_VECTORS = 64  # of one pwritev; the system allows 1,024


def nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class PartPaths:
    """The files of one body: while it comes, how far it came, and once it is accepted."""

    part: Path
    mark: Path
    whole: Path


class Part:
    """A body that is being received. Methods may be called from any thread.

    Attributes:
        received: bytes taken so far, from the start.
        stored: of these, how many are on the disk for certain.
    """

    def __init__(self, head: Head, paths: PartPaths, before_rename: Callable[[], None]) -> None:
        """Open the file, and take up where an earlier process or connection stopped.

        Raises:
            OSError: the disk is full, or does not let this process write.
        """
        self._head, self._paths, self._before_rename = head, paths, before_rename
        self._lock = Lock()
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file: int | None = os.open(paths.part, flags, PRIVATE)
        self._checksum = hashlib.sha256()
        self.received = self.stored = 0
        try:
            os.posix_fallocate(self._file, 0, head.length)
            self._resume(self._file)
        except OSError:
            self.discard()
            raise

    def _resume(self, file: int) -> None:
        mark = self._paths.mark.read_bytes() if self._paths.mark.exists() else b""
        marked = int.from_bytes(mark, "big") if len(mark) == _MARK_BYTES else 0
        if marked > self._head.length:
            return
        for start in range(0, marked, READ_BYTES):
            self._checksum.update(os.pread(file, min(READ_BYTES, marked - start), start))
        self.received = self.stored = marked

    def write(self, pieces: Sequence[bytes | memoryview]) -> None:
        """Append some pieces, and flush them every `SYNC_BYTES`. Once closed: do nothing.

        Raises:
            OSError: the disk does not take them.
        """
        with self._lock:
            if self._file is None:
                return
            for piece in pieces:
                self._checksum.update(piece)
            for first in range(0, len(pieces), _MOST_VECTORS):
                self._append(self._file, pieces[first : first + _MOST_VECTORS])
            if self.received - self.stored >= SYNC_BYTES:
                self._flush(self._file)

    def _append(self, file: int, pieces: Sequence[bytes | memoryview]) -> None:
        written = os.pwritev(file, pieces, self.received)
        self.received += written
        if written < sum(map(len, pieces)):
            rest = b"".join(pieces)[written:]
            self._append(file, [rest])

    def _flush(self, file: int) -> None:
        os.fdatasync(file)
        mark = os.open(self._paths.mark, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        try:
            os.pwrite(mark, self.received.to_bytes(_MARK_BYTES, "big"), 0)
        finally:
            os.close(mark)
        self.stored = self.received

    def finish(self) -> Path:
        """Accept the body and return its file.

        Raises:
            WireInvalid: the checksum is wrong.
            OSError: the disk does not take it, or the part was closed.
        """
        with self._lock:
            if self._file is None:
                raise OSError(errno.EBADF, "the part is closed")
            self._verify()
            self._flush(self._file)
            os.fsync(self._file)
            self._before_rename()
            self._paths.part.replace(self._paths.whole)
            self._paths.mark.unlink(missing_ok=True)
            sync_folder(self._paths.whole.parent)
            return self._paths.whole

    def _verify(self) -> None:
        head, got = self._head, self._checksum
        if self.received != head.length or got.digest() != head.sha256:
            raise broken(head, "the checksum is wrong", head.sha256.hex(), got.hexdigest())

    def close(self) -> None:
        """Flush what came, and take no more; it can be opened again."""
        with self._lock, contextlib.suppress(OSError):  # what is not flushed is sent again
            if self._file is not None and self.received > self.stored:
                self._flush(self._file)
        self._release()

    def discard(self) -> None:
        """Remove all of it, unless it was accepted."""
        self._release()
        self._paths.part.unlink(missing_ok=True)
        self._paths.mark.unlink(missing_ok=True)

    def _release(self) -> None:
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None
