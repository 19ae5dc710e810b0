"""The directory of a study: every finished cell is kept, so that `--resume` goes on.

study.json    the same document as --json       cells/      one file for each finished cell
report.html   for people, one file              figures/    the figure as PNG
status.json   which study, and how far it came
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from collude.common.atomic import write_atomically
from collude.common.errors import RunDirectoryExists, RunDirectoryInvalid
from collude.runtime.json_files import read_json, write_json
from collude.studies.study import Cell

FORMAT = "collude-study/1"
"""In every digest as well: cells of another format are computed anew."""
Done = tuple[list[dict[str, Any]], float]
"""Rows of a cell, and the seconds they took."""


class StudyDirectory:
    """Where a study's results are kept."""

    def __init__(self, root: Path, study: str, preset: str, seed: int) -> None:
        """Name the directory and what belongs into it; nothing is read or written yet."""
        self.root = root
        self.study, self.preset, self.seed = study, preset, seed

    @classmethod
    def open(cls, root: Path, study: str, preset: str, seed: int, *, resume: bool) -> Self:
        """Make the directory, or go on in it.

        Raises:
            RunDirectoryExists: there is something already, and it is not to be resumed.
            RunDirectoryInvalid: it is another study's, or cannot be written.
        """
        found = cls(root, study, preset, seed)
        if root.exists() and not resume:
            raise RunDirectoryExists(
                "the output directory exists",
                field=str(root),
                hint="--resume goes on where it stopped; or choose another --out",
            )
        if root.exists():
            found.refuse_others()
        found.written(lambda: (root / "cells").mkdir(parents=True, exist_ok=True))
        found.status("running")
        return found

    def refuse_others(self) -> None:
        """Check that the directory is this study's.

        Raises:
            RunDirectoryInvalid: it is not.
        """
        said = read_json(self.root / "status.json")
        mine = {"format": FORMAT, "study": self.study, "preset": self.preset}
        other = {key: said.get(key) for key in mine if said.get(key) != mine[key]}
        if other:
            raise RunDirectoryInvalid(
                "this directory holds another study",
                field=str(self.root),
                expected={key: mine[key] for key in other},
                got=other,
                hint="choose another --out",
            )

    def status(self, state: str) -> None:
        """Write where the study stands: `running`, `finished`, `disagrees`."""
        said = {"format": FORMAT, "study": self.study, "preset": self.preset, "seed": self.seed}
        self.written(lambda: write_json(self.root / "status.json", {**said, "state": state}))

    def kept(self, cell: Cell) -> Done | None:
        """Return what is kept of a cell, None if it is not there or was another one."""
        file = self._file(cell)
        if not file.is_file():
            return None
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            return list(found["rows"]), float(found["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return None  # unreadable: it is computed anew

    def keep(self, cell: Cell, done: Done) -> None:
        """Keep a finished cell."""
        rows, seconds = done
        content = {"cell": cell.key, "seconds": seconds, "rows": rows}
        self.written(lambda: write_json(self._file(cell), content))

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the study, whole or not at all."""
        path = self.root / name

        def whole() -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)

        self.written(whole)

    def written(self, act: Callable[[], None]) -> None:
        """Do what writes.

        Raises:
            RunDirectoryInvalid: it cannot be written.
        """
        try:
            act()
        except OSError as error:
            raise RunDirectoryInvalid(
                "the output directory cannot be written",
                field=str(self.root),
                got=error.strerror or error,
                hint="choose another --out, or make room there",
            ) from error

    def _file(self, cell: Cell) -> Path:
        return self.root / "cells" / f"{digest(self.study, cell, self.seed)}.json"


def digest(study: str, cell: Cell, seed: int) -> str:
    """Return what names a cell's file: it changes with all that its rows depend on."""
    work = f"{cell.work.__module__}.{cell.work.__qualname__}"
    parts = [FORMAT, study, seed, cell.key, work, dict(cell.arguments)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]
