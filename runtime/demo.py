"""The main job: the same digits under four methods, attacked by the same coalition."""

import time
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from collude.common.scenario import Scenario, load_scenario, with_overrides
from collude.runtime.baselines import with_method
from collude.runtime.progress import RunsProgress
from collude.runtime.report import write_report
from collude.runtime.rundir import RunDirectory, State, Status
from collude.runtime.runner import Options, run_scenario

METHODS = ("local", "c-gdp", "naa-gdp", "i-gdp")
ATTACKS = ("exact-inversion", "procrustes", "centred-procrustes")
OVER_THE_NETWORK = "naa-gdp"
"""The run that `--quick` still makes with processes."""


@dataclass(frozen=True)
class DemoOptions:
    """How to run the demo.

    Attributes:
        out: the directory to make.
        quick: only the main run with processes, the others in this process.
        force: replace an existing run directory.
    """

    out: Path
    quick: bool = False
    force: bool = False


def demo_scenario() -> Scenario:
    """Return the scenario of the demo, which comes with the package."""
    with as_file(files("collude.runtime.scenarios") / "quickstart.toml") as path:
        return load_scenario(path)


def run_demo(options: DemoOptions, steps: RunsProgress) -> dict[str, Any]:
    """Run the demo and return the content of its `results.json`.

    Raises:
        RunDirectoryExists: the output directory exists.
        ColludeError: a run failed; its run directory holds what there is.
    """
    began = time.monotonic()
    base = demo_scenario()
    directory = RunDirectory.create(options.out, force=options.force, folders=("runs", "figures"))
    try:
        runs = [_one(base, method, directory, options, steps) for method in METHODS]
        results: dict[str, Any] = {
            "demo": base.scenario.name,
            "runs": runs,
            "timings": {"total": time.monotonic() - began},
        }
        directory.write_results(results)
        write_report(directory.root)
    except BaseException as error:
        state: State = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        directory.write_status(Status(state, "runs", str(error) or state))
        raise
    directory.write_status(Status("finished", "done"))
    return results


def _one(
    base: Scenario, method: str, directory: RunDirectory, options: DemoOptions, steps: RunsProgress
) -> dict[str, Any]:
    scenario = _scenario(base, method)
    name = label(scenario)
    steps.run(name)
    in_process = options.quick and method != OVER_THE_NETWORK
    results = run_scenario(
        scenario,
        Options(
            out=directory.root / "runs" / name,
            runtime="inprocess" if in_process else "processes",
            compare=False,
            report=False,
            progress=steps,
        ),
    )
    return {"run": name, **results}


def _scenario(base: Scenario, method: str) -> Scenario:
    scenario = with_method(base, method)
    attacks = list(ATTACKS) if scenario.mechanism.traits.uploads else []
    return with_overrides(scenario, [f"collusion.attacks={attacks}".replace("'", '"')])


def label(scenario: Scenario) -> str:
    """Return `<method>`, with `-s<level>` where the anchor is noisy: a directory's name."""
    mechanism = scenario.mechanism
    if not mechanism.traits.anchor_noise:
        return mechanism.method
    width = 64  # digits
    level = mechanism.resolve(width).anchor_noise * width**0.5
    return f"{mechanism.method}-s{level:.3g}"
