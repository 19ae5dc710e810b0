"""The exact error of the attacker in the game with fair attributes and silos chosen beforehand."""

import math

import numpy as np

from collude.codef.numeric.binomial import Window, reach, window
from collude.codef.numeric.checks import answers, epsilon_of_answer, persons
from collude.codef.risk.game import error_of_best
from collude.codef.risk.values import Estimate


def exact_error(n: float, epsilon: float, k: float) -> Estimate:
    """Return P_e: the attacker names somebody else after k answers at the same epsilon.

    Exact for attributes that are fair bits and silos that are not chosen in the light of earlier
    answers. Not a guarantee: other attributes, or an attacker who chooses silos as the answers
    come, do better (`success_bound` covers them).

    Args:
        n: persons, 2 or more; a float, to 1e64.
        epsilon: of each answer, 0 to 700.
        k: answers, 0 to 2^53; beyond some 10^7 counts are grouped, at a relative error below 1e-3.

    Returns:
        The error probability; 1 - 1/n for k = 0.

    Raises:
        ParameterInvalid: an argument is out of range.

    Source: replaces the Monte Carlo of paper 2, section 9; derivation in docs/risk.md.
    """
    n, epsilon, k = persons(n), epsilon_of_answer(epsilon), answers(k)
    if k == 0 or epsilon == 0:
        return Estimate(1 - 1 / n)
    p, q = flips(epsilon)
    counts = flips_seen(k, q)
    return Estimate(error_of_best(n, counts.masses(k, q, p), counts.masses(k, 0.5, 0.5)))


def flips(epsilon: float) -> tuple[float, float]:
    """Return (p, q): the probabilities that a bit is kept and flipped."""
    q = math.exp(-epsilon) / (1 + math.exp(-epsilon))
    return 1 - q, q


def flips_seen(k: int, q: float) -> Window:
    """Return the distances from the answers that matter for the target, from the best on."""
    low, high = reach(k, q)
    others_low, _ = reach(k, 0.5)
    return window(min(low, others_low), high)


def silos_at_error(n: float, epsilon: float, error: float) -> float:
    """Return the number of answers at which `exact_error` falls to `error`, between whole numbers.

    Raises:
        ParameterInvalid: an argument is out of range, or the error is not below 1 - 1/n.
    """
    n = persons(n)
    high = 1
    while exact_error(n, epsilon, high) > error:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if exact_error(n, epsilon, middle) > error else (low, middle)
    above, below = exact_error(n, epsilon, low), exact_error(n, epsilon, high)
    return float(low + np.divide(above - error, above - below))
