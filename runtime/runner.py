"""One run of one scenario: prepare, run in the chosen runtime, collect, score, report."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collude.common.data import Dataset
from collude.common.errors import ColludeError, ScenarioInvalid
from collude.common.outcome import Outcome
from collude.common.scenario import Scenario
from collude.common.threads import one_blas_thread
from collude.runtime.blame import blame
from collude.runtime.federation import (
    Federation,
    RecordFederation,
    ReleaseFederation,
    prepare,
    prepare_releases,
)
from collude.runtime.finish import outcomes
from collude.runtime.manifest import build_manifest
from collude.runtime.processes import run_processes
from collude.runtime.progress import Progress, Quiet
from collude.runtime.record_work import RecordWork
from collude.runtime.releases.work import ReleaseWork
from collude.runtime.report import write_report
from collude.runtime.rundir import RunDirectory, State, Status
from collude.runtime.work import Work

Runtime = Callable[[Federation, RunDirectory, Progress], Mapping[str, int]]


def _inprocess(federation: Federation, run: RunDirectory, progress: Progress) -> Mapping[str, int]:
    work_of(federation).run_inprocess(run, progress)
    return {}


def _compose(federation: Federation, run: RunDirectory, progress: Progress) -> Mapping[str, int]:
    from collude.runtime.compose.run import run_compose  # noqa: PLC0415 -- an optional extra

    return run_compose(federation, run, progress)


RUNTIMES: Mapping[str, Runtime] = {
    "inprocess": _inprocess,
    "processes": run_processes,
    "compose": _compose,
}


@dataclass(frozen=True)
class Options:
    """How to run.

    Attributes:
        out: the run directory to make.
        runtime: a name in `RUNTIMES`.
        force: replace an existing run directory.
        compare: also measure the baseline methods (simulation only).
        report: write `report.html`.
        progress: told at each step.
        runs: what runs the parties instead of the runtime of that name.
    """

    out: Path
    runtime: str = "inprocess"
    force: bool = False
    compare: bool = True
    report: bool = True
    progress: Progress = Quiet()  # noqa: RUF009 -- it has no state
    runs: Runtime | None = None


def run_scenario(
    scenario: Scenario, options: Options, dataset: Dataset | None = None
) -> dict[str, Any]:
    """Run a scenario and return the content of its `results.json`.

    Args:
        scenario: what to run.
        options: how.
        dataset: the scenario's data set, if it was loaded before.

    Raises:
        ScenarioInvalid: no such runtime, or the scenario does not fit the data.
        RunDirectoryExists: the output directory exists.
        ColludeError: a party failed; the run directory holds what there is.
    """
    if options.runtime not in RUNTIMES:
        raise ScenarioInvalid(
            "there is no such runtime",
            field="--runtime",
            expected=" or ".join(RUNTIMES),
            got=options.runtime,
        )
    federation = prepare_releases(scenario) if scenario.releases else prepare(scenario, dataset)
    work = work_of(federation)
    work.check()
    run = RunDirectory.create(options.out, force=options.force)
    try:
        with one_blas_thread():  # the last digits of a figure depend on it
            results = _run(federation, run, options)
    except BaseException as error:
        # Whatever ended it, the directory must say so.
        state: State = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        run.write_status(Status(state, run.status().phase, str(error) or state))
        if options.report and work.reports and isinstance(error, ColludeError):
            with suppress(ColludeError):  # it says less than the error that is under way
                write_report(run.root)
        raise
    run.write_status(Status("finished", "done"))
    return results


def work_of(federation: Federation) -> Work:
    """Return the kind of run that this federation is for.

    Raises:
        TypeError: there is no such kind.
    """
    if isinstance(federation, ReleaseFederation):
        return ReleaseWork(federation)
    if isinstance(federation, RecordFederation):
        return RecordWork(federation)
    raise TypeError(f"nothing runs a {type(federation).__name__}")


def _run(federation: Federation, run: RunDirectory, options: Options) -> dict[str, Any]:
    began, scenario, work = time.monotonic(), federation.scenario, work_of(federation)
    _write_manifest(work, run, options, {})
    federation.write_known(run.root)
    run.write_status(Status("running", "parties"))
    runtime = options.runs or RUNTIMES[options.runtime]
    codes = runtime(federation, run, options.progress)
    left = _checked(outcomes(run, scenario), codes)
    run.write_status(Status("running", "results"))
    options.progress.step("scores and baselines")
    results = work.results(run, left, compare=options.compare, began=began)
    run.write_results(results)
    _write_manifest(work, run, options, results)
    if options.report and work.reports:
        options.progress.step("the report")
        write_report(run.root)
    return results


def _checked(left: Mapping[str, Outcome | None], codes: Mapping[str, int]) -> dict[str, Outcome]:
    error = blame(left, codes)
    if error is not None:
        raise error
    return {party: outcome for party, outcome in left.items() if outcome is not None}


def _write_manifest(
    work: Work, run: RunDirectory, options: Options, results: Mapping[str, Any]
) -> None:
    run.write_manifest(
        build_manifest(
            work.federation.scenario,
            work.data(),
            runtime=options.runtime,
            transcript_digest=results.get("transcript_digest"),
            training_device=results.get("training_device"),
        )
    )
