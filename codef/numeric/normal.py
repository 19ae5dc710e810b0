"""The standard normal law, accurate in both tails, on the standard library and numpy alone."""

import math

import numpy as np

from collude.codef.numeric.checks import Array, floats

FAR = 25.0
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def density(x: float) -> float:
    """Return the density at x."""
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def upper_tail(x: Array) -> Array:
    """Return P(N > x), elementwise, with relative accuracy down to 1e-300."""
    return floats(_erfc(floats(x) / math.sqrt(2))) / 2


def mills_ratio(x: float) -> float:
    """Return P(N > x) / density(x), for x > -37; it falls like 1/x.

    Beyond 25 by its continued fraction (Laplace), where the tail itself is about to underflow.
    """
    if x <= FAR:
        return math.erfc(x / math.sqrt(2)) / 2 / density(x)
    ratio = x
    for term in range(30, 0, -1):
        ratio = x + term / ratio
    return 1 / ratio


def grid(span: float, points: int) -> tuple[Array, Array]:
    """Return nodes on [-span, span] and the normal weights of the trapezoidal rule, summing to 1.

    For a smooth integrand the rule converges faster than any power of the spacing.
    """
    nodes = np.linspace(-span, span, points)
    weights = np.exp(-nodes * nodes / 2)
    return nodes, weights / weights.sum()
