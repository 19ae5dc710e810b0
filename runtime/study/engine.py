"""Run a study's cells: exact ones here, simulated ones in a pool, finished ones never again."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from collude.runtime.study.kept import Done, StudyDirectory
from collude.runtime.study.pools import LOKY, check_backend, each
from collude.studies.agreement import disagreements
from collude.studies.preset import load
from collude.studies.study import Cell, Outcome, Row, Study, run_cell


@dataclass(frozen=True)
class Asked:
    """What is to be run.

    Attributes:
        study: which.
        preset: at which parameters.
        check: with Monte Carlo.
        jobs: simulated cells at once.
        backend: where they run.
    """

    study: Study
    preset: str
    check: bool = False
    jobs: int = 1
    backend: str = LOKY


@dataclass(frozen=True)
class Found:
    """What came out.

    Attributes:
        asked: what was asked for.
        parameters: of the preset.
        seed: of the preset.
        outcome: rows and claims.
        timings: seconds and numbers of cells.
    """

    asked: Asked
    parameters: Any
    seed: int
    outcome: Outcome
    timings: dict[str, float]

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document."""
        return {
            "study": self.asked.study.name,
            "preset": self.asked.preset,
            "rows": list(self.outcome.rows),
            "claims": [claim.text for claim in self.outcome.claims],
            "timings": self.timings,
        }

    @property
    def disagreements(self) -> list[Row]:
        """Simulated rows that do not agree with their formula."""
        return disagreements(self.outcome.rows)


def execute(asked: Asked, place: StudyDirectory | None, say: Callable[[str], None]) -> Found:
    """Run what is asked for.

    Args:
        asked: study, preset and how.
        place: where finished cells are kept, or None.
        say: is told of every finished cell.

    Raises:
        ParameterInvalid: there is no such preset or backend.
        ExtraMissing: the backend is not installed.
    """
    check_backend(asked.backend)
    start = time.perf_counter()
    parameters, seed = load(asked.study, asked.preset)
    cells = asked.study.work(parameters, check=asked.check)
    done = _resumed(cells, place)
    resumed = len(done)
    for cell, result in _all_results(asked, [c for c in cells if c.key not in done], seed):
        done[cell.key] = result
        if place is not None:
            place.keep(cell, result)
        say(f"{len(done)} of {len(cells)}: {cell.key}")
    rows = [row for cell in cells for row in done[cell.key][0]]
    outcome = Outcome(rows, asked.study.conclude(parameters, rows))
    timings = _timings(cells, done, resumed) | {"wall_s": time.perf_counter() - start}
    return Found(asked, parameters, seed, outcome, timings)


def _resumed(cells: list[Cell], place: StudyDirectory | None) -> dict[str, Done]:
    if place is None:
        return {}
    kept = {cell.key: place.kept(cell) for cell in cells}
    return {key: done for key, done in kept.items() if done is not None}


def _all_results(asked: Asked, cells: list[Cell], seed: int) -> Any:
    """Yield (cell, result): exact cells first, they are quick."""
    name = asked.study.name
    for cell in cells:
        if not cell.simulated:
            yield cell, timed(name, cell, seed)[1]
    calls = [(timed, (name, cell, seed)) for cell in cells if cell.simulated]
    by_key = {cell.key: cell for cell in cells}
    for key, result in each(calls, asked.backend, asked.jobs):
        yield by_key[key], result


def timed(study: str, cell: Cell, seed: int) -> tuple[str, Done]:
    """Return a cell's key, rows and seconds; runs in the worker."""
    start = time.perf_counter()
    rows = run_cell(study, cell, seed)
    return cell.key, (rows, time.perf_counter() - start)


def _timings(cells: list[Cell], done: dict[str, Done], resumed: int) -> dict[str, float]:
    seconds = dict.fromkeys((False, True), 0.0)
    for cell in cells:
        seconds[cell.simulated] += done[cell.key][1]
    return {
        "exact_s": seconds[False],
        "simulated_s": seconds[True],
        "cells": len(cells),
        "cells_resumed": resumed,
    }
