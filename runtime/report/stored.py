"""What the report reads from a run directory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from collude.attacker.public import FILE, read_public
from collude.common.data.feature_map import FeatureMap
from collude.common.errors import RunDirectoryInvalid
from collude.runtime.json_files import read_json
from collude.runtime.pictures import SHOWN, Pictures, read_pictures
from collude.runtime.report.codef_documents import CountedUploads, PersonReleases
from collude.runtime.report.documents import AttackScore, AttackScores, Manifest, Results
from collude.runtime.report.stored_model import Stored
from collude.runtime.rundir import RunDirectory, Status

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shown:
    """The records of the target that are shown, as pictures would show them.

    Attributes:
        originals: (k, D) before the feature map.
        best: (k, D) through the feature map and back, or None where there is no map.
        people: (k,) who is on each; 0 where nobody knows.
        rebuilt: attack -> (k, D), for the attacks that ran.
    """

    originals: FloatArray
    best: FloatArray | None
    people: NDArray[np.int64]
    rebuilt: Mapping[str, FloatArray]


@dataclass(frozen=True, eq=False)
class StoredRun:
    """One run, as far as it came.

    Attributes:
        directory: where it stands.
        manifest: what was run.
        status: where it stands.
        results: None if it did not come that far.
        shown: None outside a simulation, and where nothing was attacked.
    """

    directory: RunDirectory
    manifest: Manifest
    status: Status
    results: Results | None
    shown: Shown | None

    @property
    def name(self) -> str:
        """Return the name of the run's directory."""
        return self.directory.root.name

    @property
    def attacks(self) -> AttackScores | None:
        """Return what the coalition arrived at, None if nothing was attacked."""
        return self.results.attacks if self.results else None

    @property
    def person_releases(self) -> PersonReleases | None:
        """Return what silos answered about persons, None where the run is not about that."""
        found = self.results.codef if self.results else None
        return found if isinstance(found, PersonReleases) else None

    @property
    def counted(self) -> CountedUploads | None:
        """Return the noise that CoDef set for uploads, None where it set none."""
        found = self.results.codef if self.results else None
        return found if isinstance(found, CountedUploads) else None

    def scores(self) -> list[AttackScore]:
        """Return every attack that was tried, in the scenario's order."""
        order = self.manifest.scenario.get("collusion", {}).get("attacks", ())
        return self.attacks.tried(order) if self.attacks else []

    @classmethod
    def read(cls, directory: RunDirectory) -> Self:
        """Return what stands in the directory.

        Raises:
            RunDirectoryInvalid: a file is damaged, or the manifest is missing.
        """
        results = None
        if (directory.root / "results.json").is_file():
            results = _checked(Results, directory.root / "results.json")
        scores = results.attacks if results else None
        return cls(
            directory=directory,
            manifest=_checked(Manifest, directory.root / "manifest.json"),
            status=directory.status(),
            results=results,
            shown=_shown(directory, scores) if scores else None,
        )


def read_runs(directory: RunDirectory) -> list[StoredRun]:
    """Return the run in a run directory, or the runs of a demo's.

    Raises:
        RunDirectoryInvalid: a file is damaged or missing.
    """
    return [StoredRun.read(inner) for inner in directory.runs() or [directory]]


_Model = TypeVar("_Model", bound=Stored)


def _checked(model: type[_Model], path: Path) -> _Model:
    try:
        return model.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        raise RunDirectoryInvalid(
            "a file has other content than it must",
            field=f"{path}: {'.'.join(str(part) for part in first['loc'])}",
            expected=first["msg"],
        ) from error


def _shown(directory: RunDirectory, scores: AttackScores) -> Shown | None:
    if not (directory.root / "truth" / f"{scores.target}.npz").is_file():
        return None
    truth = directory.truth(scores.target).records
    basis = _basis(directory)
    pictures = read_pictures(directory, len(truth)) or _first(_decoded(truth, basis))
    return Shown(
        originals=pictures.originals,
        best=None if basis is None else truth[pictures.rows] @ basis.T,
        people=pictures.people,
        rebuilt={
            name: _decoded(records[pictures.rows], basis)
            for name, records in _reconstructions(directory, scores.attacks).items()
        },
    )


def _first(records: FloatArray) -> Pictures:
    """Return the first records themselves: what runs have that kept no pictures."""
    rows = np.arange(min(SHOWN, len(records)))
    return Pictures(rows, np.zeros_like(rows), records[rows])


def _basis(directory: RunDirectory) -> FloatArray | None:
    feature_map = read_public(directory.root / FILE).feature_map
    return feature_map.basis if isinstance(feature_map, FeatureMap) else None


def _decoded(records: FloatArray, basis: FloatArray | None) -> FloatArray:
    return records if basis is None else records @ basis.T


def _reconstructions(
    directory: RunDirectory, attacks: Sequence[AttackScore]
) -> dict[str, FloatArray]:
    names = [score.name for score in attacks]
    ran = [name for name in names if (directory.root / "attacks" / f"{name}.npz").is_file()]
    return {name: directory.reconstruction(name) for name in ran}
