"""Ours: the game by Monte Carlo, 64 attributes a word.

python -m benchmarks.workers.collude_game PERSONS COUNT TRIALS
"""

import sys

import numpy as np

from benchmarks.workers.timing import measured, say
from collude.studies.game.bits import identified

EPSILON = 1.0


def main() -> None:
    persons, count, trials = map(int, sys.argv[1:])
    rng = np.random.default_rng(0)
    identified(persons, [(EPSILON, count)], 2, rng)
    say(measured(lambda: identified(persons, [(EPSILON, count)], trials, rng))[1])


if __name__ == "__main__":
    main()
