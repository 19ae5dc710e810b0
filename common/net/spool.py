"""Where uploads lie on the disk: in parts while they come, whole once they are accepted.

    FOLDER/<session>/<sender>.<round>.<key>.part    the body so far, at its full length
    FOLDER/<session>/<sender>.<round>.<key>.mark    how much of it is there for certain
    FOLDER/<session>/<sender>.<round>.<key>.whole   accepted

The disk is the only memory: quotas are sums over the files, and a process that starts again
finds what its predecessor left. Files of another session are removed.
"""

import contextlib
import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from collude.common.net.head import Head
from collude.common.net.part import Part, PartPaths, nothing

PART, MARK, WHOLE = "part", "mark", "whole"
_FOLDER_MODE = 0o700


@dataclass(frozen=True, slots=True)
class Held:
    """Whose body takes up how many bytes, and of which round it is."""

    sender: str
    round: str
    bytes: int


class Spool:
    """One party's folder for what others upload to it."""

    def __init__(self, folder: Path, before_rename: Callable[[], None] = nothing) -> None:
        """Make the folder.

        Args:
            folder: of this spool alone; whatever lies there is managed by it.
            before_rename: called between the last flush of a body and its acceptance.
        """
        folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        self._folder = folder
        self._before_rename = before_rename

    def keep_only(self, session: bytes | None) -> None:
        """Remove the files of all sessions but this one; None: of all."""
        kept = None if session is None else self._of(session)
        for path in self._folder.iterdir():
            if path != kept:
                shutil.rmtree(path, ignore_errors=True)

    def open(self, head: Head) -> Part:
        """Return the body's part, new or as far as it came; it takes up its full length at once.

        Raises:
            OSError: the disk is full, or does not let this process write.
        """
        self._of(head.session).mkdir(mode=_FOLDER_MODE, exist_ok=True)
        return Part(head, self._paths(head), self._before_rename)

    def has_begun(self, head: Head) -> bool:
        """Return whether there is a part of the body, and so room for all of it."""
        return self._paths(head).part.exists()

    def drop_others(self, head: Head) -> None:
        """Remove every unfinished part of the same sender but that of `head`."""
        for path in self._of(head.session).glob(f"{head.sender}.*"):
            if path.suffix != f".{WHOLE}" and path.stem != self._paths(head).part.stem:
                path.unlink(missing_ok=True)

    def whole(self, head: Head) -> Path | None:
        """Return the accepted file of a body whose acceptance nobody may have heard of.

        Raises:
            OSError: it cannot be read.
        """
        path = self._paths(head).whole
        if not path.exists():
            return None
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").digest() == head.sha256:
                return path
        path.unlink()
        return None

    def held(self, session: bytes) -> Iterator[Held]:
        """Yield every body of a session that takes up room, finished or not."""
        for path in self._of(session).glob("*.*"):
            if path.suffix != f".{MARK}":
                sender, round_, *_ = path.name.split(".")
                yield Held(sender, round_, _size(path))

    def _of(self, session: bytes) -> Path:
        return self._folder / (session.hex() or "none")

    def _paths(self, head: Head) -> PartPaths:
        stem = f"{head.sender}.{head.round}.{head.key}"
        folder = self._of(head.session)
        return PartPaths(*(folder / f"{stem}.{suffix}" for suffix in (PART, MARK, WHOLE)))


def _size(path: Path) -> int:
    # Another party's part may be accepted, and so renamed, or discarded at this moment.
    for name in (path, path.with_suffix(f".{WHOLE}")):
        with contextlib.suppress(FileNotFoundError):
            return name.stat().st_size
    return 0
