"""The main job: the same faces under six settings, and silos that answer about persons."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Self

from collude.common.data import Dataset, load_dataset
from collude.common.scenario import Scenario, load_scenario, with_overrides
from collude.runtime.aside import Aside, aside
from collude.runtime.baselines import with_method
from collude.runtime.progress import RunsProgress
from collude.runtime.report import write_report
from collude.runtime.rundir import RunDirectory, State, Status
from collude.runtime.runner import Options, run_scenario

FACES, DIGITS, RELEASES = "faces", "digits", "releases"
"""Scenarios that come with the package: who is recognised, what hiding costs, and who is named by
answers."""

RELEASE_EPOCHS = 3
"""Epochs of each period: after three everything was asked, and each costs a second or two."""
RELEASE_CHANGES = (f"codef.epochs={RELEASE_EPOCHS}",)


@dataclass(frozen=True)
class Planned:
    """One run of the demo.

    Attributes:
        scenario: `FACES`, `DIGITS` or `RELEASES`.
        method: of Table I; empty where silos answer about persons.
        s: the anchor's noise, v sqrt(d); None for methods without.
        network: over processes; the rest runs in this one.
        always: over processes under `--quick` too.
        compare: also measure the baseline methods.
    """

    scenario: str
    method: str = ""
    s: float | None = None
    network: bool = True
    always: bool = False
    compare: bool = False


PLAN = (
    Planned(FACES, "local", network=False),
    Planned(FACES, "c-gdp"),
    Planned(FACES, "aa-gdp"),
    Planned(FACES, "naa-gdp", 0.4, always=True),
    Planned(FACES, "naa-gdp", 0.8),
    Planned(FACES, "i-gdp", network=False),
    Planned(DIGITS, "naa-gdp", 0.4, network=False, compare=True),
    Planned(DIGITS, "naa-gdp", 0.8, network=False),
    Planned(RELEASES),
)


@dataclass(frozen=True)
class DemoOptions:
    """How to run the demo.

    Attributes:
        out: the directory to make.
        quick: only one run with processes, the others in this process.
        force: replace an existing run directory.
    """

    out: Path
    quick: bool = False
    force: bool = False


def demo_scenario(name: str = FACES) -> Scenario:
    """Return a scenario of the demo, which comes with the package."""
    with as_file(_file(name)) as path:
        return load_scenario(path)


def _file(name: str) -> Traversable:
    return files("collude.runtime.scenarios") / f"{name}.toml"


def run_demo(options: DemoOptions, steps: RunsProgress) -> dict[str, Any]:
    """Run the demo and return the content of its `results.json`.

    Raises:
        ExtraMissing: a package that carries the data is not installed.
        RunDirectoryExists: the output directory exists.
        ColludeError: a run failed; its run directory holds what there is.
    """
    began = time.monotonic()
    steps.step("the data are loaded")
    # Now, not later: what is missing must show before anything is made.
    bases = {name: _Base.of(name) for name in (FACES, DIGITS, RELEASES)}
    directory = RunDirectory.create(options.out, force=options.force, folders=("runs", "figures"))
    try:
        with _beside(directory, options) as beside:
            runs = [_one(bases, planned, (directory, options, beside), steps) for planned in PLAN]
        results: dict[str, Any] = {
            "demo": FACES,
            "runs": runs,
            "timings": {"total": time.monotonic() - began},
        }
        directory.write_results(results)
        steps.run("report")
        steps.step("pictures, tables and one page")
        write_report(directory.root)
    except BaseException as error:
        state: State = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        directory.write_status(Status(state, "runs", str(error) or state))
        raise
    directory.write_status(Status("finished", "done"))
    return results


@dataclass(frozen=True)
class _Base:
    """A scenario with its data, which all its runs share; persons are drawn by the run itself."""

    scenario: Scenario
    dataset: Dataset | None = field(repr=False)

    @classmethod
    def of(cls, name: str) -> Self:
        scenario = demo_scenario(name)
        return cls(scenario, None if scenario.releases else load_dataset(scenario))


@contextmanager
def _beside(directory: RunDirectory, options: DemoOptions) -> Iterator[Aside | None]:
    """Run the answers about persons beside all others where these leave a core idle.

    Over processes they need both.
    """
    if not options.quick or Planned(RELEASES) not in PLAN:
        yield None
        return
    out = directory.root / "runs" / RELEASES
    with as_file(_file(RELEASES)) as path, aside(path, RELEASE_CHANGES, out) as started:
        yield started


def _one(
    bases: Mapping[str, _Base],
    planned: Planned,
    where: tuple[RunDirectory, DemoOptions, Aside | None],
    steps: RunsProgress,
) -> dict[str, Any]:
    name, base, (directory, options, beside) = name_of(planned), bases[planned.scenario], where
    steps.run(name)
    if beside is not None and base.scenario.releases:
        steps.step("silos answer about persons, and count together, beside the other runs")
        return {"run": name, **beside.results()}
    over_network = planned.always if options.quick else planned.network
    results = run_scenario(
        scenario_of(base.scenario, planned),
        Options(
            out=directory.root / "runs" / name,
            runtime="processes" if over_network else "inprocess",
            compare=planned.compare,
            report=False,
            progress=steps,
        ),
        base.dataset,
    )
    return {"run": name, **results}


def scenario_of(base: Scenario, planned: Planned) -> Scenario:
    """Return the scenario of a planned run."""
    if base.releases:
        return with_overrides(base, RELEASE_CHANGES)
    scenario = with_method(base, planned.method)
    changes = [] if planned.s is None else [f"mechanism.anchor_noise_s={planned.s}"]
    if not scenario.mechanism.traits.uploads:
        changes.append("collusion.attacks=[]")
    return with_overrides(scenario, changes)


def name_of(planned: Planned) -> str:
    """Return `<method>`, with `-s<level>` where the anchor is noisy: a directory's name.

    Where silos answer about persons it is the scenario's.
    """
    if not planned.method:
        return planned.scenario
    level = "" if planned.s is None else f"-s{planned.s:g}"
    other = "" if planned.scenario == FACES else f"{planned.scenario}-"
    return f"{other}{planned.method}{level}"
