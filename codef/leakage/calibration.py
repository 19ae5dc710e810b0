"""The exact privacy of Gaussian noise, and its two inverses.

Two values m standard deviations apart are (epsilon, delta)-indistinguishable exactly for
delta = Phi(m/2 - epsilon/m) - e^epsilon Phi(-m/2 - epsilon/m)   (Balle and Wang, ICML 2018).
"""

import math
from collections.abc import Callable

from collude.codef.numeric.normal import density, mills_ratio

HALVINGS = 200
_CERTAIN = -37.0


def gaussian_delta(epsilon: float, ratio: float) -> float:
    """Return delta at `epsilon` for values `ratio` standard deviations apart.

    The two tails are phi(a) R(a) and phi(a) R(b), R Mills' ratio: no overflow of e^epsilon.
    """
    a, b = epsilon / ratio - ratio / 2, epsilon / ratio + ratio / 2
    if a < _CERTAIN:
        return 1.0 - density(a) * mills_ratio(b) if b > _CERTAIN else 1.0
    return density(a) * (mills_ratio(a) - mills_ratio(b))


def crossing(low: float, high: float, passed: Callable[[float], bool]) -> float:
    """Return where `passed` turns true between `low` and `high`, by halving."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        low, high = (low, middle) if passed(middle) else (middle, high)
    return high


def analytic_ratio(epsilon: float, delta: float) -> float:
    """Return the largest sensitivity/sigma that is (epsilon, delta)-private."""
    high = 1.0
    while gaussian_delta(epsilon, high) < delta:
        high *= 2
    return crossing(0.0, high, lambda ratio: gaussian_delta(epsilon, ratio) >= delta)


def gaussian_epsilon(ratio: float, delta: float) -> float:
    """Return the smallest epsilon >= 0 that holds with `delta` for values `ratio` apart."""
    if math.erf(ratio / 2 / math.sqrt(2)) <= delta:
        return 0.0
    high = 1.0
    while gaussian_delta(high, ratio) > delta:
        high *= 2
    return crossing(0.0, high, lambda epsilon: gaussian_delta(epsilon, ratio) <= delta)
