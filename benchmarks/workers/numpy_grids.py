"""numpy per trial over every point of experiments 1, 2 and 4: one game in PART, times PART.

python -m benchmarks.workers.numpy_grids PRESET PART
"""

import sys

import numpy as np

from benchmarks.workers.grids import points
from benchmarks.workers.numpy_game import identified
from benchmarks.workers.timing import measured, say


def main() -> None:
    preset, part = sys.argv[1], int(sys.argv[2])
    grid = points(preset)
    rng = np.random.default_rng(0)

    def played() -> None:
        for persons, epsilon, count, trials in grid:
            identified(persons, epsilon, count, -(-trials // part), rng)

    figures = measured(played)[1]
    say({**figures, "wall": figures["wall"] * part, "cpu": figures["cpu"] * part})


if __name__ == "__main__":
    main()
