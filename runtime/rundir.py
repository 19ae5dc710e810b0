"""The directory that a run leaves behind.

    manifest.json   what was run          parties/NAME/     a party's own state, mode 0700
    status.json     where it stands       transcripts/      what each party received
    results.json    what came out         truth/            simulation only: for scoring
    report.html     for people            attacks/          what each attack reconstructed
    figures/        its figures           logs/             what each party said

Every file is written whole or not at all, so a run that dies leaves what it has.
"""

import re
import shutil
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from collude.common.atomic import PRIVATE, PUBLIC, npz_bytes, write_atomically
from collude.common.data.files import read_arrays
from collude.common.errors import LocalError, RunDirectoryExists, RunDirectoryInvalid
from collude.runtime.json_files import read_json, write_json

FORMAT = "collude-run/1"
"""Stands in `status.json`, so that `--force` removes nothing but run directories."""

FloatArray = NDArray[np.float64]
State = Literal["running", "finished", "failed", "interrupted"]

TRUTH = "truth"
FOLDERS = ("transcripts", "logs", "parties", TRUTH, "attacks", "figures")
_PART = re.compile(r"[a-z0-9][a-z0-9._-]*")
_OWNER_ONLY = 0o700


@dataclass(frozen=True)
class Status:
    """Where a run stands.

    Attributes:
        state: `running` also stands there after a crash that left no time to write.
        phase: what is being done.
        detail: for people; for example whom the run waits for.
    """

    state: State
    phase: str
    detail: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Truth:
    """What a participant really holds; read by scoring and the report only.

    Attributes:
        records: (n, d) rows that it protected, in the order of its upload.
        rotation: (d, d) of its secret transform, None if it uploads nothing.
        translation: (d,) of its secret transform, None if it uploads nothing.
        identities: (n,) who is on each row, None where the data set does not know.
    """

    records: FloatArray
    rotation: FloatArray | None = None
    translation: FloatArray | None = None
    identities: NDArray[np.int64] | None = None


class RunDirectory:
    """One run directory: its paths, and reading and writing what stands there."""

    def __init__(self, root: str | Path) -> None:
        """Name the directory; nothing is read or written yet."""
        self.root = Path(root)

    @classmethod
    def create(
        cls, root: str | Path, *, force: bool = False, folders: Collection[str] = FOLDERS
    ) -> Self:
        """Make a new run directory.

        Args:
            root: where; missing parents are made.
            force: replace an existing run directory, and nothing else.
            folders: what to make in it.

        Raises:
            RunDirectoryExists: something is there already, and `force` was not given or what
                is there is no run directory.
            RunDirectoryInvalid: the directory cannot be made.
        """
        path = Path(root)
        if path.exists() or path.is_symlink():
            _make_room(path, force=force)
        run = cls(path)
        try:
            for folder in folders:
                mode = _OWNER_ONLY if folder == TRUTH else 0o777
                (path / folder).mkdir(mode, parents=True)
            run.write_status(Status("running", "start"))
        except OSError as error:
            raise RunDirectoryInvalid(
                "the output directory cannot be made", field=str(path), got=error.strerror
            ) from error
        return run

    @classmethod
    def open(cls, root: str | Path) -> Self:
        """Return an existing run directory, also of a run that was interrupted.

        Raises:
            RunDirectoryInvalid: there is none.
        """
        run = cls(root)
        if not run.root.is_dir():
            raise RunDirectoryInvalid("there is no such directory", field=str(root))
        if not _is_run_directory(run.root):
            raise RunDirectoryInvalid(
                "this is no run directory",
                field=str(root),
                expected=f"a status.json of format {FORMAT}",
                hint="Run directories are made by collude run and collude demo",
            )
        return run

    @property
    def transcripts(self) -> Path:
        """Return the folder of what each party received."""
        return self.root / "transcripts"

    @property
    def logs(self) -> Path:
        """Return the folder of what each party said."""
        return self.root / "logs"

    @property
    def figures(self) -> Path:
        """Return the folder of the report's figures."""
        return self.root / "figures"

    @property
    def report(self) -> Path:
        """Return the report's file."""
        return self.root / "report.html"

    def party(self, name: str) -> Path:
        """Return a party's own folder, made with mode 0700 if it is not there.

        Raises:
            RunDirectoryInvalid: the name cannot be a folder's name.
        """
        folder = self.root / "parties" / _part(name)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(_OWNER_ONLY)
        return folder

    def write_manifest(self, manifest: Mapping[str, object]) -> None:
        """Write what was run."""
        write_json(self.root / "manifest.json", manifest)

    def manifest(self) -> dict[str, object]:
        """Return what was run.

        Raises:
            RunDirectoryInvalid: it is not there or cannot be read.
        """
        return read_json(self.root / "manifest.json")

    def write_results(self, results: Mapping[str, object]) -> None:
        """Write what came out."""
        write_json(self.root / "results.json", results)

    def results(self) -> dict[str, object]:
        """Return what came out.

        Raises:
            RunDirectoryInvalid: the run did not come that far; where it stopped is named.
        """
        path = self.root / "results.json"
        if path.is_file():
            return read_json(path)
        status = self.status()
        raise RunDirectoryInvalid(
            "the run has no results",
            field=str(path),
            got=f"{status.state} in phase {status.phase}",
            hint=status.detail or None,
        )

    def write_status(self, status: Status) -> None:
        """Write where the run stands."""
        write_json(self.root / "status.json", {"format": FORMAT} | asdict(status))

    def status(self) -> Status:
        """Return where the run stands, or stopped.

        Raises:
            RunDirectoryInvalid: it is not there or cannot be read.
        """
        stored = read_json(self.root / "status.json")
        stored.pop("format", None)
        try:
            return Status(**stored)  # type: ignore[arg-type]  # what a file holds is not typed
        except TypeError as error:
            raise RunDirectoryInvalid(
                "a file cannot be read", field=str(self.root / "status.json"), got=error
            ) from error

    def write_truth(self, party: str, truth: Truth) -> None:
        """Write what a participant really holds. Simulation only."""
        known = {name: array for name, array in vars(truth).items() if array is not None}
        path = self.root / "truth" / f"{_part(party)}.npz"
        write_atomically(path, npz_bytes(**known), PRIVATE)

    def truth(self, party: str) -> Truth:
        """Return what a participant really holds.

        Raises:
            RunDirectoryInvalid: the run did not write it; deployments never do.
        """
        path = self.root / "truth" / f"{_part(party)}.npz"
        optional = ("rotation", "translation", "identities")
        return Truth(**_stored(path, "records", optional=optional))

    def write_reconstruction(self, attack: str, records: FloatArray) -> None:
        """Write the (n, d) records that an attack arrived at, in the order of the target's."""
        path = self.root / "attacks" / f"{_part(attack)}.npz"
        write_atomically(path, npz_bytes(records=records), PUBLIC)

    def reconstruction(self, attack: str) -> FloatArray:
        """Return the (n, d) records that an attack arrived at.

        Raises:
            RunDirectoryInvalid: the attack did not run.
        """
        return _stored(self.root / "attacks" / f"{_part(attack)}.npz", "records")["records"]

    def runs(self) -> list["RunDirectory"]:
        """Return the run directories inside, by name: a demo has several, a run has none."""
        inner = self.root / "runs"
        folders = sorted(inner.iterdir()) if inner.is_dir() else []
        return [RunDirectory(folder) for folder in folders if _is_run_directory(folder)]


def _make_room(path: Path, *, force: bool) -> None:
    if not force:
        raise RunDirectoryExists(
            "the output directory exists",
            field=str(path),
            hint="Choose another --out, or replace it with --force",
        )
    is_empty = path.is_dir() and not any(path.iterdir())
    if path.is_symlink() or not (is_empty or _is_run_directory(path)):
        raise RunDirectoryExists(
            "what is there is no run directory, so --force does not remove it",
            field=str(path),
            hint="Choose another --out, or remove it yourself",
        )
    shutil.rmtree(path)


def _is_run_directory(path: Path) -> bool:
    try:
        return read_json(path / "status.json").get("format") == FORMAT
    except RunDirectoryInvalid:
        return False


def _stored(path: Path, *names: str, optional: tuple[str, ...] = ()) -> dict[str, NDArray[Any]]:
    try:
        return read_arrays(path, names, optional=optional)
    except LocalError as error:
        raise RunDirectoryInvalid(
            error.reason, field=str(path), expected=error.expected, got=error.got
        ) from error


def _part(name: str) -> str:
    """Return a name that is safe as a part of a path.

    Raises:
        RunDirectoryInvalid: it is not.
    """
    if not _PART.fullmatch(name):
        raise RunDirectoryInvalid(
            "this cannot be the name of a file",
            field="name",
            expected="a-z, 0-9, dots, hyphens and underscores",
            got=repr(name),
        )
    return name
