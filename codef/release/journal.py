"""A file that only grows: what was appended is on the disk when `append` returns.

The first line says what the file is and whose; every other line ends with a checksum over its
number and content. A crash leaves at most a last line without its end, which nobody was told of:
it is cut off. Any other damage is refused: a silo that forgot part of its answers would answer
the same question twice. Two processes with one file would do that, too: it is locked while it is
open, and free again when its process is gone, however it went.
"""

import fcntl
import os
import weakref
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

from collude.common.atomic import PRIVATE, sync_folder
from collude.common.errors import DataInvalid

_CHECK_DIGITS = 16


class Journal:
    """One file of one party, mode 0600, for one process at a time."""

    def __init__(self, path: Path, kind: str, party: str) -> None:
        """Open or make the file, and read what is in it.

        Args:
            path: in a folder that exists.
            kind: what it holds, one word.
            party: whose it is, one word.

        Raises:
            DataInvalid: it cannot be read or written, is in use, is another's, or is damaged.
        """
        self._path, self._party = path, party
        self._header = f"collude {kind} 1 {party}"
        self._file = self._opened()
        self._broken = False
        self._let_go = weakref.finalize(self, os.close, self._file)
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _opened(self) -> int:
        """Return the file, open and locked.

        Raises:
            DataInvalid: it cannot be, or is in use.
        """
        try:
            return self._locked(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, PRIVATE))
        except BlockingIOError:
            raise DataInvalid(
                f"{self._path.name} is in use",
                party=self._party,
                field=self._path.name,
                got="locked, by a process that is still running",
                hint="One party is one process: end the other one, or wait for its end.",
            ) from None
        except OSError as cause:
            self._refuse(None, "cannot be read and written", got=cause.strerror)

    @staticmethod
    def _locked(file: int) -> int:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.fchmod(file, PRIVATE)
        except OSError:
            os.close(file)
            raise
        return file

    def _begin(self) -> None:
        """Read what is there, cut off a torn end, and write the first line where there is none."""
        try:
            content = self._path.read_bytes()
        except OSError as cause:
            self._refuse(None, "cannot be read and written", got=cause.strerror)
        self.lines = self._checked(content)
        self._end = content.rfind(b"\n") + 1
        os.ftruncate(self._file, self._end)
        if not self._end:
            self._write(f"{self._header}\n")
            sync_folder(self._path.parent)

    def append(self, lines: Sequence[str]) -> None:
        """Append lines of printable ASCII; they are on the disk when it returns.

        Raises:
            DataInvalid: they could not be written; none of them is in the file then.
        """
        numbered = enumerate(lines, len(self.lines))
        self._write("".join(f"{line} {_check(at, line)}\n" for at, line in numbered))
        self.lines = (*self.lines, *lines)

    def close(self) -> None:
        """Let go of the file."""
        self._broken = True
        self._let_go()

    def _write(self, text: str) -> None:
        if self._broken:
            self._refuse(None, "was closed, or could not be mended after a failed write")
        content = text.encode("ascii")
        try:
            written = 0
            while written < len(content):
                written += os.write(self._file, content[written:])
            os.fsync(self._file)
        except OSError as cause:
            self._undo()
            self._refuse(None, "cannot be written", got=cause.strerror)
        self._end += len(content)

    def _undo(self) -> None:
        """Cut off what a failed write left, or never write again."""
        try:
            os.ftruncate(self._file, self._end)
            os.fsync(self._file)
        except OSError:
            self.close()

    def _checked(self, content: bytes) -> tuple[str, ...]:
        header, *rows = content[: content.rfind(b"\n") + 1].decode("ascii", "replace").split("\n")
        if not rows:
            # Not even the first line is whole: ours, torn, or a file that is not ours.
            if not f"{self._header}\n".encode().startswith(content):
                self._refuse(1, "is not what it must be", expected=self._header)
            return ()
        if header != self._header:
            self._refuse(1, "is not what it must be", expected=self._header, got=header[:80])
        found = []
        for at, row in enumerate(rows[:-1]):
            line, _, check = row.rpartition(" ")
            if check != _check(at, line):
                self._refuse(at + 2, "is damaged")
            found.append(line)
        return tuple(found)

    def _refuse(
        self, line: int | None, reason: str, *, expected: str | None = None, got: str | None = None
    ) -> NoReturn:
        place = self._path.name if line is None else f"{self._path.name}, line {line}"
        raise DataInvalid(
            f"{self._path.name} {reason}" if line is None else f"a line {reason}",
            party=self._party,
            field=place,
            expected=expected,
            got=got,
            hint="Nothing was answered. Restore the file, or begin with new persons and no file.",
        )


def _check(at: int, line: str) -> str:
    return sha256(f"{at} {line}".encode()).hexdigest()[:_CHECK_DIGITS]
