"""Ours: every point of experiments 1, 2 and 4, by the formula or by Monte Carlo.

python -m benchmarks.workers.collude_grids exact|played PRESET
"""

import sys

import numpy as np

from benchmarks.workers.grids import Point, points
from benchmarks.workers.timing import measured, say
from collude.codef.risk import exact_error
from collude.studies.game.bits import identified


def exact(grid: list[Point]) -> list[float]:
    return [exact_error(persons, epsilon, count) for persons, epsilon, count, _ in grid]


def played(grid: list[Point]) -> list[float]:
    rng = np.random.default_rng(0)
    return [
        1 - identified(persons, [(epsilon, count)], trials, rng) / trials
        for persons, epsilon, count, trials in grid
    ]


def main() -> None:
    way, preset = sys.argv[1:]
    grid = points(preset)
    work = {"exact": exact, "played": played}[way]
    work(grid[:1])
    say(measured(lambda: work(grid))[1])


if __name__ == "__main__":
    main()
