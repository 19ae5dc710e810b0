"""The exact privacy of k randomized-response answers about one person.

The privacy loss of d flipped answers is (k - 2 d) epsilon, so
delta(e) = sum_d C(k, d) [p^(k-d) q^d - e^e p^d q^(k-d)]_+.
"""

import math

import numpy as np

from collude.codef.numeric.binomial import Window, reach, window
from collude.codef.numeric.checks import (
    Array,
    answers,
    epsilon_of_answer,
    non_negative,
    refuse,
)


def rr_delta(epsilon: float, k: float, total: float) -> float:
    """Return the smallest delta with which k answers are (total, delta)-private.

    Args:
        epsilon: of each answer, 0 to 700.
        k: answers.
        total: epsilon of all answers together, 0 or more.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    epsilon, k = epsilon_of_answer(epsilon), answers(k)
    over = float(non_negative("total", total))
    if k == 0 or epsilon == 0:
        return 0.0
    counts, mass = _flips(epsilon, k)
    excess = (k - 2 * counts.middles) * epsilon - over
    gained = np.where(excess > 0, -np.expm1(-np.maximum(excess, 0)), 0)
    return float((mass * gained).sum())


def rr_composition(epsilon: float, k: float, delta: float) -> float:
    """Return the smallest epsilon' with which k answers are (epsilon', delta)-private: exact.

    Args:
        epsilon: of each answer, 0 to 700.
        k: answers; beyond some 10^8 counts are grouped.
        delta: in [0, 1).

    Returns:
        epsilon'; k epsilon for delta = 0.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    epsilon, k = epsilon_of_answer(epsilon), answers(k)
    if not 0 <= delta < 1:
        refuse("delta", "0 or more and below 1", delta)
    if k == 0 or epsilon == 0 or delta == 0:
        return k * epsilon
    counts, mass = _flips(epsilon, k)
    last = _last_gaining(counts, mass, epsilon, delta)
    if last < 0:
        return k * epsilon
    # Up to flips <= d the loss gains: sum P - e^e' sum P e^-loss = delta, solved for e'.
    gaining = slice(None, last + 1)
    flips = counts.middles[gaining]
    edge = (k - 2 * flips[-1]) * epsilon
    kept = float((mass[gaining] * np.exp(-2 * (flips[-1] - flips) * epsilon)).sum())
    return max(0.0, float(edge) + math.log((float(mass[gaining].sum()) - delta) / kept))


def _flips(epsilon: float, k: int) -> tuple[Window, Array]:
    q = math.exp(-epsilon) / (1 + math.exp(-epsilon))
    counts = window(*reach(k, q))
    return counts, counts.masses(k, q, 1 - q)


def _last_gaining(counts: Window, mass: Array, epsilon: float, delta: float) -> int:
    """Return the largest index m with delta(loss at m) <= delta; -1 if even m = 0 is too much."""
    flips = counts.middles
    low, high = -1, len(flips)
    while high - low > 1:
        m = (low + high) // 2
        at = float((mass[:m] * -np.expm1(-2 * (flips[m] - flips[:m]) * epsilon)).sum())
        low, high = (m, high) if at <= delta else (low, m)
    return low
