"""Ours: the same point by the exact formula, once; the trials are not needed.

python -m benchmarks.workers.collude_exact PERSONS COUNT TRIALS
"""

import sys

from benchmarks.workers.timing import measured, say
from collude.codef.risk import exact_error

EPSILON = 1.0
TIMES = 200
"""One call is too short for the clock."""


def main() -> None:
    persons, count, _ = map(int, sys.argv[1:])
    exact_error(persons, EPSILON, count)
    figures = measured(lambda: [exact_error(persons, EPSILON, count) for _ in range(TIMES)])[1]
    say({**figures, "wall": figures["wall"] / TIMES, "cpu": figures["cpu"] / TIMES})


if __name__ == "__main__":
    main()
