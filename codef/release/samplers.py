"""The noise of an answer, by mechanism: a bit in, what is released out."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from collude.codef.policy import STEPS_PER_BIT, GaussianAnswers, PolicySettings, noise_of
from collude.codef.release.bits import Bits
from collude.codef.release.exact import discrete_gaussian, flipped


class Sampler(Protocol):
    """How an answer is drawn."""

    def draw(self, bit: int, level: int, bits: Bits) -> int:
        """Return what is released of a bit at a level: see the class."""
        ...


class FlippedBits:
    """Randomized response: the bit, flipped with probability 1/(1 + e^epsilon) exactly.

    Epsilon is the very number that the float is, a fraction.
    """

    def __init__(self, levels: Sequence[float]) -> None:
        """Keep the epsilon of each level, above 0."""
        self._levels = tuple(map(Fraction, levels))

    def draw(self, bit: int, level: int, bits: Bits) -> int:
        """Return 0 or 1."""
        return bit ^ flipped(bits, self._levels[level])


class GaussianSteps:
    """The bit in grid steps, plus a discrete Gaussian in grid steps."""

    def __init__(self, levels: Sequence[float], noise: GaussianAnswers) -> None:
        """Compute the noise of each level."""
        self._steps = tuple(map(noise.steps, levels))

    def draw(self, bit: int, level: int, bits: Bits) -> int:
        """Return whole steps, of which a true bit has `STEPS_PER_BIT`."""
        return bit * STEPS_PER_BIT + discrete_gaussian(bits, self._steps[level])


def sampler_of(settings: PolicySettings, levels: Sequence[float]) -> Sampler:
    """Return how answers are drawn at the levels of a policy.

    Raises:
        ParameterInvalid: no such mechanism, or a level whose noise the grid cannot carry.
    """
    noise = noise_of(settings)
    if isinstance(noise, GaussianAnswers):
        return GaussianSteps(levels, noise)
    return FlippedBits(levels)
