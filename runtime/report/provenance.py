"""What one needs to repeat the runs, and to tell whether that gave the same."""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.runtime.report.deviating import Planned, planned_faults
from collude.runtime.report.documents import DataDescription, Manifest
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.words import ABSENT, label_of, listed


@dataclass(frozen=True)
class RunDigests:
    """What tells whether a run was repeated exactly."""

    name: str
    method: str
    scenario: str
    transcript: str
    results: str


@dataclass(frozen=True)
class Unfinished:
    """A run without results, where it stopped, and what was to go wrong in it."""

    method: str
    state: str
    phase: str
    detail: str
    faults: tuple[Planned, ...] = ()


def badges(manifest: Manifest) -> tuple[str, ...]:
    """Return the run in a few short words."""
    data = manifest.data
    participants = manifest.scenario.get("data", {}).get("participants")
    parts = (
        f"seed {manifest.seed}" if manifest.seed is not None else "",
        f"{data.source}{' (synthetic)' if data.synthetic else ''}" if data else "",
        _asked(data)
        if manifest.releases
        else _parties(participants, data.people if data else None),
    )
    return tuple(part for part in parts if part)


def _parties(participants: int | None, people: int | None) -> str:
    if not participants:
        return ""
    each = f" x {people // participants} people" if people else ""
    return f"{participants} participants{each}"


def _asked(data: DataDescription | None) -> str:
    return f"{data.silos} silos x {data.persons} persons" if data and data.persons else ""


def _amount(data: DataDescription) -> str:
    if data.persons:
        return f"{data.persons:,} persons, {data.attributes} attributes at {data.silos} silos"
    return f"{data.rows or 0:,} rows of {data.width} values"


def facts(manifests: Sequence[Manifest]) -> tuple[tuple[str, str], ...]:
    """Return what the runs have in common, as (name, value), without what is not known."""
    manifest = manifests[0]
    data, runtimes = manifest.data, dict.fromkeys(each.runtime for each in manifests)
    installed = ", ".join(f"{name} {v}" for name, v in manifest.versions.items() if v)
    kernels = {f"{k.get('library')} {k.get('version')} {k.get('kernel')}" for k in manifest.blas}
    pairs = (
        ("Scenario", str(manifest.scenario.get("scenario", {}).get("name", ""))),
        ("Mode", manifest.mode),
        ("Seed", "none" if manifest.seed is None else str(manifest.seed)),
        ("Runtime", listed(tuple(runtimes))),
        ("Data", f"{data.source}: {_amount(data)}" if data else ""),
        ("Data credit", data.credit if data else ""),
        ("Labels", data.label_note if data else ""),
        ("Data fingerprint", data.fingerprint if data else ""),
        ("Versions", installed),
        ("Linear algebra", ", ".join(sorted(kernels))),
        ("Run on", manifest.created),
    )
    return tuple((name, value) for name, value in pairs if value)


def digests(runs: Sequence[StoredRun]) -> tuple[RunDigests, ...]:
    """Return each run's digests."""
    return tuple(
        RunDigests(
            name=run.name,
            method=label_of(run.manifest),
            scenario=run.manifest.scenario_digest,
            transcript=(run.results.transcript_digest if run.results else None) or ABSENT,
            results=(run.results.results_digest if run.results else None) or ABSENT,
        )
        for run in runs
    )


def unfinished(runs: Sequence[StoredRun]) -> tuple[Unfinished, ...]:
    """Return the runs that have no results."""
    return tuple(
        Unfinished(
            label_of(run.manifest),
            run.status.state,
            run.status.phase,
            run.status.detail,
            planned_faults(run),
        )
        for run in runs
        if run.results is None
    )
