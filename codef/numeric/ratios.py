"""The law of a log-likelihood ratio on a grid that only makes the two hypotheses easier to tell.

An atom between two grid levels is split onto both, so that its mass under P and under Q stays as
it is: a spread of the ratio that keeps its mean, which no test can be hurt by. Sums of independent
ratios go through the Fourier transform, hundreds of terms at a time.

Source: Doroshenko, Ghazi, Kamath, Kumar, Manurangsi, Connect the dots, PoPETs 2022.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from collude.codef.numeric.checks import Array, floats

LEVELS = 2**16
TOGETHER = 256
"""Terms summed on one grid; more are summed in groups, each on a coarser grid."""
MARGIN = 4


@dataclass(frozen=True)
class RatioLaw:
    """P masses of ln dP/dQ at `step` times (first, first + 1, ...)."""

    first: int
    step: float
    mass: Array

    @property
    def ratio(self) -> Array:
        """The log-ratio of each mass."""
        return floats(self.step * (self.first + np.arange(len(self.mass))))

    def coarser(self, step: float) -> "RatioLaw":
        """Return the law on another grid, each atom split onto its two neighbours."""
        if step == self.step:
            return self
        ratio = self.ratio
        low = np.floor(ratio / step)
        above = np.clip(ratio - low * step, 0, step)
        share = np.expm1(step - above) / math.expm1(step)
        to_low = self.mass * np.minimum(share, 1)
        first = int(low[0])
        place = (low - first).astype(np.int64)
        length = int(place[-1]) + 2
        mass = np.bincount(place, to_low, length)
        mass += np.bincount(place + 1, self.mass - to_low, length)
        return RatioLaw(first, step, floats(mass))


Span = Callable[[int], tuple[float, float]]
"""From a number of terms to where their sum lies, but for a negligible mass."""


def sum_of(one: Callable[[float], RatioLaw], terms: int, span: Span) -> RatioLaw:
    """Return the law of a sum of independent terms.

    Args:
        one: makes the law of one term on a grid of the step given.
        terms: 1 or more.
        span: where the sum of so many terms lies.
    """
    final = step_for(*span(terms))
    parts: list[tuple[RatioLaw, int]] = []
    size, left = 1, terms
    law = one(final if terms <= TOGETHER else step_for(*span(TOGETHER)))
    while True:
        left, digit = divmod(left, TOGETHER)
        last = left == 0
        if digit:
            parts.append((law, digit))
        if last:
            return _product([(part.coarser(final), times) for part, times in parts], span(terms))
        size *= TOGETHER
        grown = _product([(law, TOGETHER)], span(size))
        law = grown.coarser(final if left < TOGETHER else step_for(*span(size * TOGETHER)))


def step_for(low: float, high: float) -> float:
    """Return a grid step whose LEVELS cover the span; it divides ln 2 if it is smaller.

    One answer's ratio is at most ln 2: a level there keeps the bound sharp when many answers reach
    it.
    """
    step = (high - low) / (LEVELS - MARGIN)
    return math.log(2) / math.floor(math.log(2) / step) if step < math.log(2) else step


def _product(parts: list[tuple[RatioLaw, int]], span: tuple[float, float]) -> RatioLaw:
    spectrum = np.ones(LEVELS // 2 + 1, dtype=np.complex128)
    offset, step = 0, parts[0][0].step
    for law, times in parts:
        spectrum *= np.fft.rfft(wrapped(law.mass), LEVELS) ** times
        offset += law.first * times
    total = np.fft.irfft(spectrum, LEVELS)
    # The transform is cyclic: index j stands for level offset + j, modulo the length.
    first = math.floor(span[0] / step) - 1
    level = first + np.arange(LEVELS)
    return RatioLaw(first, step, floats(np.maximum(total[(level - offset) % LEVELS], 0)))


def wrapped(mass: Array) -> Array:
    """Return masses on LEVELS levels, cyclically: what is beyond the end is added at the front."""
    padded = np.zeros(-(-len(mass) // LEVELS) * LEVELS)
    padded[: len(mass)] = mass
    return floats(padded.reshape(-1, LEVELS).sum(axis=0))
