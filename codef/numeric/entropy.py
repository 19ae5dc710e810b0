"""The two functions every leakage formula is made of, accurate for large and small arguments."""

import math

import numpy as np

from collude.codef.numeric.checks import Array, floats

SERIES_BELOW = 0.3
DIGITS = 39.0
"""Nats: terms of the series below e^-39 are left out."""


def log_cosh(x: Array) -> Array:
    """Return ln cosh x, elementwise: relative accuracy near 0, no overflow for large |x|."""
    x = np.abs(x)
    # sinh overflows where the other branch is taken
    near = np.log1p(2 * np.sinh(np.minimum(x, 1) / 2) ** 2)
    far = x + np.log1p(np.exp(-2 * x)) - np.log(2)
    return floats(np.where(x < 1, near, far))


def excess(u: Array) -> Array:
    """Return (1 + u) ln(1 + u) - u, elementwise, for u >= -1: never negative, about u^2/2 near 0.

    A relative entropy is a sum of these: KL(P || M) = sum_y M(y) excess(P(y)/M(y) - 1). Near 0
    the two terms cancel, so there a series in v = u/(2 + u) is used: ln(1 + u) = 2 artanh v.
    """
    u = floats(u)
    small = np.abs(u) < SERIES_BELOW
    if bool(small.all()):
        return _series(u)
    grown = 1 + u
    far = grown * np.log(np.where(grown > 0, grown, 1)) - u
    return floats(np.where(small, _series(np.where(small, u, 0)), far))


def _series(u: Array) -> Array:
    v = u / (2 + u)
    square = v * v
    largest = float(square.max(initial=0.0))
    terms = math.ceil(DIGITS / -math.log(largest)) if largest > 0 else 1
    odd = np.zeros_like(v)
    for power in range(2 * terms + 1, 1, -2):
        odd = square * (odd + 1 / power)
    return floats((2 * square + 2 * (1 + v) * v * odd) / (1 - v))
