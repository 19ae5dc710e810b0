"""Binomial masses from one answer to 10^15, to the last digits and without scipy.

The saddle-point form of C. Loader (Fast and accurate computation of binomial probabilities,
2000): the mass is a Gaussian factor, Stirling's remainders and two deviances, so that nothing
large is subtracted from anything large.
"""

import math
from dataclasses import dataclass

import numpy as np

from collude.codef.numeric.checks import Array, floats
from collude.codef.numeric.entropy import excess

TAIL = 300.0
"""Nats: what lies outside a window has less than e^-300 in each tail, 1e-66 even 1e64 times."""
MOST_ATOMS = 2**16
_SERIES_FROM = 16
_SMALL = np.array(
    [0.0]
    + [
        math.lgamma(x + 1) - (x + 0.5) * math.log(x) + x - 0.5 * math.log(2 * math.pi)
        for x in range(1, _SERIES_FROM)
    ]
)


def stirling_remainder(x: Array) -> Array:
    """Return ln x! less Stirling's formula, for whole x >= 1 and for any x >= 16."""
    x = floats(x)
    y = np.maximum(x, _SERIES_FROM)
    z = 1 / (y * y)
    series = (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188)))) / y
    small = _SMALL[np.minimum(x, _SERIES_FROM - 1).astype(np.int64)]
    return floats(np.where(x < _SERIES_FROM, small, series))


def log_mass(d: Array, k: float, p: float, q: float) -> Array:
    """Return ln P(Bin(k, p) = d), elementwise, with q = 1 - p given so that neither is rounded."""
    d = floats(d)
    inner = np.clip(d, 0.5, max(k - 0.5, 0.5))
    if k > 1:
        inner = np.clip(d, 1, k - 1)
    rest = k - inner
    gap = inner - k * p
    middle = (
        (
            0.5 * np.log(k / (2 * math.pi * inner * rest))
            + stirling_remainder(np.array(float(k)))
            - stirling_remainder(inner)
            - stirling_remainder(rest)
            - k * p * excess(gap / (k * p))
            - k * q * excess(-gap / (k * q))
        )
        if k > 1
        else np.zeros_like(d)
    )
    edges = np.where(d == 0, k * math.log(q), k * math.log(p))
    return floats(np.where((d == 0) | (d == k), edges, middle))


@dataclass(frozen=True)
class Window:
    """Consecutive counts, in steps of `step`: atoms at the middle of each step.

    Attributes:
        low: the smallest count, inclusive.
        high: the largest count, inclusive.
        step: counts per atom; 1 unless more than 2^16 atoms would be needed.
    """

    low: int
    high: int
    step: int = 1

    @property
    def starts(self) -> Array:
        """The smallest count of each atom, (m,)."""
        return floats(np.arange(self.low, self.high + 1, self.step))

    @property
    def middles(self) -> Array:
        """Where each atom's mass is evaluated, (m,)."""
        return self.starts + (self.step - 1) / 2

    def masses(self, k: int, p: float, q: float) -> Array:
        """Return the mass of Bin(k, p) on each atom, (m,)."""
        if k == 0:
            return np.ones(1)
        return floats(self.step * np.exp(log_mass(self.middles, k, p, q)))


def reach(k: int, p: float) -> tuple[int, int]:
    """Return the counts outside which Bin(k, p) has less than e^-300 (Bernstein's inequality)."""
    width = math.sqrt(2 * TAIL * k * p * (1 - p)) + 2 / 3 * TAIL + 1
    return max(0, math.floor(k * p - width)), min(k, math.ceil(k * p + width))


def window(low: int, high: int) -> Window:
    """Return the window from `low` to `high`, stepping where it would be too long."""
    return Window(low, high, -(-(high - low + 1) // MOST_ATOMS))
