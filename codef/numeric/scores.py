"""Sums of scores from answers at several epsilons, on one grid.

An answer at epsilon that contradicts a person's attribute costs that person the score epsilon.
Scores are whole multiples of a unit: exactly, if the epsilons have a common unit that keeps the
table small (0.25, 0.5 and 1 do), else rounded once per epsilon.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collude.codef.numeric.binomial import reach, window
from collude.codef.numeric.checks import Array, answers, epsilon_of_answer, refuse

Schedule = Sequence[tuple[float, int]]

FINEST = 1e-10
LONGEST = 2**19
"""Most score levels of a table."""
MOST_PAIRS = 2**22


@dataclass(frozen=True)
class Scores:
    """The law of a sum of scores.

    Attributes:
        level: whole multiples of the unit, (m,), ascending: the best score first.
        mass: (laws, m): one row per law of the answers.
    """

    level: NDArray[np.int64]
    mass: Array


def merged(schedule: Schedule) -> dict[float, int]:
    """Return the answers per epsilon, checked, the largest epsilon first; none at epsilon 0.

    Raises:
        ParameterInvalid: an epsilon or a count is out of range.
    """
    counts: dict[float, int] = {}
    for item in schedule:
        if len(item) != 2:  # noqa: PLR2004 -- a pair
            refuse("schedule", "pairs (epsilon, count)", item)
        epsilon, count = epsilon_of_answer(item[0]), answers(item[1])
        counts[epsilon] = counts.get(epsilon, 0) + count
    return {e: c for e, c in sorted(counts.items(), reverse=True) if e > 0 and c > 0}


def unit_of(counts: dict[float, int]) -> float:
    """Return the score that one grid step stands for."""
    common = math.gcd(*(round(epsilon / FINEST) for epsilon in counts)) * FINEST
    total = sum(epsilon * count for epsilon, count in counts.items())
    if common > 0 and (
        total / common <= LONGEST or math.prod(c + 1 for c in counts.values()) <= MOST_PAIRS
    ):
        return common
    return total / LONGEST


def summed(counts: dict[float, int], unit: float, *, laws: int, down: bool) -> Scores:
    """Return the law of the total score.

    Args:
        counts: answers per epsilon, as `merged` returns them.
        unit: as `unit_of` returns it.
        laws: 1 for the target's law, 2 for the target's and another person's.
        down: round scores down (never to a worse one), else to the nearest.
    """
    total = Scores(np.zeros(1, dtype=np.int64), np.ones((laws, 1)))
    for epsilon, count in sorted(counts.items(), key=lambda item: item[1]):
        total = _added(total, _block(epsilon, count, unit, laws=laws, down=down))
    return total


def _block(epsilon: float, count: int, unit: float, *, laws: int, down: bool) -> Scores:
    q = math.exp(-epsilon) / (1 + math.exp(-epsilon))
    low, high = reach(count, q)
    if laws > 1:
        others_low, others_high = reach(count, 0.5)
        low, high = min(low, others_low), max(high, others_high)
    counts = window(low, high)
    flips = [(q, 1 - q), (0.5, 0.5)][:laws]
    masses = np.stack([counts.masses(count, *pair) for pair in flips])
    steps = (counts.starts if down else counts.middles) * (epsilon / unit)
    # 1e-6 of a unit: epsilon/unit is whole up to rounding where the unit is common to all
    level = (np.floor(steps + 1e-6) if down else np.rint(steps)).astype(np.int64)
    return _collected(level, masses)


def _collected(level: NDArray[np.int64], mass: Array) -> Scores:
    """Return equal levels merged, and levels without mass dropped."""
    kept = mass.max(axis=0) > 0
    found, place = np.unique(level[kept], return_inverse=True)
    rows = [np.bincount(place, weights=row[kept], minlength=len(found)) for row in mass]
    return Scores(found, np.stack(rows))


def _added(one: Scores, two: Scores) -> Scores:
    few, many = sorted((one, two), key=lambda scores: len(scores.level))
    if len(few.level) * len(many.level) <= MOST_PAIRS:
        level = (few.level[:, None] + many.level[None, :]).ravel()
        mass = (few.mass[:, :, None] * many.mass[:, None, :]).reshape(len(few.mass), -1)
        return _collected(level, mass)
    base = few.level[0] + many.level[0]
    dense = np.zeros((len(many.mass), int(many.level[-1] - many.level[0]) + 1))
    dense[:, many.level - many.level[0]] = many.mass
    span = dense.shape[1]
    total = np.zeros((len(dense), span + int(few.level[-1] - few.level[0])))
    for index, level in enumerate(few.level - few.level[0]):
        total[:, level : level + span] += few.mass[:, index, None] * dense
    return _collected(np.arange(total.shape[1]) + base, total)
