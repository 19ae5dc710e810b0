"""What the report reads from a run directory, checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from collude.attacker.public import FILE, read_public
from collude.common.data.feature_map import FeatureMap
from collude.common.errors import RunDirectoryInvalid
from collude.runtime.json_files import read_json
from collude.runtime.rundir import RunDirectory, Status

FloatArray = NDArray[np.float64]


class _Stored(BaseModel):
    # Keys that this report does not show may come and go.
    model_config = ConfigDict(frozen=True, extra="ignore")


class Utility(_Stored):
    """How good a model is; None where there was nothing to count."""

    metric: str
    value: float | None
    interval: tuple[float, float] | None = None
    count: int | None = None


class MeasuredUtility(Utility):
    """The same, with others to compare it with, by name of the method."""

    baselines: Mapping[str, Utility] = Field(default_factory=dict)


class AttackScore(_Stored):
    """An attack's errors; None where they are not defined or the attack could not run."""

    name: str
    relative: float | None = None
    centred_relative: float | None = None
    rotation: float | None = None
    diagnostics: Mapping[str, Any] = Field(default_factory=dict)


class AttackScores(_Stored):
    """What a coalition made of one target; `impossible` says what an attack lacked."""

    target: str
    colluders: tuple[str, ...] = ()
    attacks: tuple[AttackScore, ...] = ()
    impossible: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)

    def tried(self, order: Sequence[str]) -> list[AttackScore]:
        """Return all attacks, also those that could not run, in `order`, others behind."""
        without = (
            AttackScore(name=name, diagnostics={"missing": lacks})
            for name, lacks in self.impossible.items()
        )
        places = {name: place for place, name in enumerate(order)}
        return sorted(
            (*self.attacks, *without), key=lambda score: places.get(score.name, len(places))
        )

    def strongest(self) -> AttackScore | None:
        """Return the attack with the smallest centred error, None if none could be measured."""
        measured = [score for score in self.attacks if score.centred_relative is not None]
        return min(measured, key=lambda score: score.centred_relative or 0.0, default=None)


class Results(_Stored):
    """`results.json` of one run."""

    transcript_digest: str | None = None
    results_digest: str | None = None
    utility: MeasuredUtility | None = None
    attacks: AttackScores | None = None
    timings: Mapping[str, float] = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class DataDescription(_Stored):
    """What the manifest says of the data."""

    source: str
    fingerprint: str
    rows: int
    width: int
    image_shape: tuple[int, int] | None = None
    synthetic: bool = False
    credit: str = ""


class Manifest(_Stored):
    """`manifest.json`."""

    scenario: Mapping[str, Any]
    scenario_digest: str
    mode: str
    seed: int | None = None
    runtime: str = ""
    versions: Mapping[str, str | None] = Field(default_factory=dict)
    blas: tuple[Mapping[str, Any], ...] = ()
    data: DataDescription | None = None
    created: str = ""

    @property
    def method(self) -> str:
        """Return the method's name."""
        return str(self.scenario.get("mechanism", {}).get("method", "unknown"))


@dataclass(frozen=True, eq=False)
class StoredRun:
    """One run, as far as it came.

    Attributes:
        name: of its directory.
        manifest: what was run.
        status: where it stands.
        results: None if it did not come that far.
        truth: (n, D) records of the target, None outside a simulation.
        reconstructions: (n, D) by attack, for the attacks that ran. Both as the feature map
            shows them: decoded, where there is one.
    """

    name: str
    manifest: Manifest
    status: Status
    results: Results | None
    truth: FloatArray | None
    reconstructions: Mapping[str, FloatArray]

    def scores(self) -> list[AttackScore]:
        """Return every attack that was tried, in the scenario's order."""
        if self.results is None or self.results.attacks is None:
            return []
        order = self.manifest.scenario.get("collusion", {}).get("attacks", ())
        return self.results.attacks.tried(order)

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
        features = _basis(directory)
        return cls(
            name=directory.root.name,
            manifest=_checked(Manifest, directory.root / "manifest.json"),
            status=directory.status(),
            results=results,
            truth=_decoded(_truth(directory, scores), features),
            reconstructions={
                name: records @ features.T if features is not None else records
                for name, records in _reconstructions(directory, scores).items()
            },
        )


def read_runs(directory: RunDirectory) -> list[StoredRun]:
    """Return the run in a run directory, or the runs of a demo's.

    Raises:
        RunDirectoryInvalid: a file is damaged or missing.
    """
    return [StoredRun.read(inner) for inner in directory.runs() or [directory]]


_Model = TypeVar("_Model", bound=_Stored)


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


def _truth(directory: RunDirectory, scores: AttackScores | None) -> FloatArray | None:
    if scores is None or not (directory.root / "truth" / f"{scores.target}.npz").is_file():
        return None
    return directory.truth(scores.target).records


def _basis(directory: RunDirectory) -> FloatArray | None:
    feature_map = read_public(directory.root / FILE).feature_map
    return feature_map.basis if isinstance(feature_map, FeatureMap) else None


def _decoded(records: FloatArray | None, features: FloatArray | None) -> FloatArray | None:
    return records if records is None or features is None else records @ features.T


def _reconstructions(directory: RunDirectory, scores: AttackScores | None) -> dict[str, FloatArray]:
    names = [score.name for score in scores.attacks] if scores else []
    ran = [name for name in names if (directory.root / "attacks" / f"{name}.npz").is_file()]
    return {name: directory.reconstruction(name) for name in ran}
