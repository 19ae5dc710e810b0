"""numpy as one would write it: the people, the answers and the likelihood of one game at a time.

python -m benchmarks.workers.numpy_game PERSONS COUNT TRIALS
"""

import sys

import numpy as np

from benchmarks.workers.timing import measured, say

EPSILON = 1.0


def identified(
    persons: int, epsilon: float, count: int, trials: int, rng: np.random.Generator
) -> int:
    """Return in how many games the attacker names the target."""
    kept = 1 / (1 + np.exp(-epsilon))
    won = 0
    for _ in range(trials):
        people = rng.integers(0, 2, size=(persons, count))
        target = rng.integers(persons)
        answers = np.where(rng.random(count) < kept, people[target], 1 - people[target])
        agreed = (people == answers).sum(axis=1)
        best = np.flatnonzero(agreed == agreed.max())
        won += int(rng.choice(best) == target)
    return won


def main() -> None:
    persons, count, trials = map(int, sys.argv[1:])
    rng = np.random.default_rng(0)
    identified(persons, EPSILON, count, 2, rng)
    say(measured(lambda: identified(persons, EPSILON, count, trials, rng))[1])


if __name__ == "__main__":
    main()
