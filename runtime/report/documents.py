"""The documents of a run directory that the report reads, checked."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from collude.common.scenario.codef_sections import RELEASE_SOURCES
from collude.runtime.report.codef_documents import CountedUploads, PersonReleases
from collude.runtime.report.stored_model import Stored

PERSON_RELEASES = "person-releases"
"""Stands for a method where no records are shared."""


class Utility(Stored):
    """How good a model is; None where there was nothing to count."""

    metric: str
    value: float | None
    interval: tuple[float, float] | None = None
    count: int | None = None


class MeasuredUtility(Utility):
    """The same, with others to compare it with, by name of the method."""

    baselines: Mapping[str, Utility] = Field(default_factory=dict)


class AttackScore(Stored):
    """An attack's errors and linkage; None where not defined, or where it could not run."""

    name: str
    relative: float | None = None
    centred_relative: float | None = None
    rotation: float | None = None
    linkage: float | None = None
    interval: tuple[float, float] | None = None
    diagnostics: Mapping[str, Any] = Field(default_factory=dict)


class Leakage(Stored):
    """The attack of the suite by which most leaks."""

    attack: str


class AuditorFacts(Stored):
    """Who judged linkage, and on how many records of how many people."""

    name: str
    sha256: str
    ways: int
    queries: int
    people: int
    references: int
    people_trained_on: int | None = None


class AttackScores(Stored):
    """What a coalition made of one target; `impossible` says what an attack lacked.

    `ceiling`, `floor` and `chance` are linkages: of the clean records, of shuffled names, of a
    guess. None where there are no people to tell apart.
    """

    target: str
    colluders: tuple[str, ...] = ()
    attacks: tuple[AttackScore, ...] = ()
    impossible: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    leakage: Leakage | None = None
    ceiling: float | None = None
    floor: float | None = None
    chance: float | None = None
    auditor: AuditorFacts | None = None

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
        """Return the attack by which most leaks: the one that the results name.

        Where they name none, that of the smallest centred error; None if nothing was measured.
        """
        named = self.leakage.attack if self.leakage else None
        chosen = next((score for score in self.attacks if score.name == named), None)
        return chosen or self.closest()

    def closest(self) -> AttackScore | None:
        """Return the attack with the smallest centred error, None if none could be measured."""
        measured = [score for score in self.attacks if score.centred_relative is not None]
        return min(measured, key=lambda score: score.centred_relative or 0.0, default=None)


class Results(Stored):
    """`results.json` of one run."""

    transcript_digest: str | None = None
    results_digest: str | None = None
    utility: MeasuredUtility | None = None
    attacks: AttackScores | None = None
    codef: PersonReleases | CountedUploads | None = None
    timings: Mapping[str, float] = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class DataDescription(Stored):
    """What the manifest says of the data: rows and width, or persons, silos and attributes."""

    source: str
    fingerprint: str
    rows: int | None = None
    width: int | None = None
    persons: int | None = None
    silos: int | None = None
    attributes: int | None = None
    image_shape: tuple[int, int] | None = None
    ink: bool = False
    synthetic: bool = False
    credit: str = ""
    label_note: str = ""
    people: int | None = None


class Manifest(Stored):
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
    def releases(self) -> bool:
        """Return whether silos answer about persons, and share no records."""
        return self.scenario.get("data", {}).get("source") in RELEASE_SOURCES

    @property
    def method(self) -> str:
        """Return the method's name."""
        if self.releases:
            return PERSON_RELEASES
        return str(self.scenario.get("mechanism", {}).get("method", "unknown"))
