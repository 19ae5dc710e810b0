"""How an answer is made noisy, as far as policies need to know: what it leaks, how many are safe.

The sampling itself is `codef/release/samplers`.
"""

import math
from dataclasses import dataclass
from typing import Protocol

from collude.codef.leakage import gaussian_information, gaussian_sigma, rr_information
from collude.codef.numeric.checks import refuse
from collude.codef.policy.settings import PolicySettings
from collude.codef.risk import (
    largest_safe_count,
    largest_safe_count_gaussian,
    success_bound_gaussian,
)

STEPS_PER_BIT = 1 << 20
"""Grid steps of a Gaussian answer between a false bit and a true one: its values are whole
multiples of 2^-20, so nothing leaks through low bits."""
LEAST_SIGMA = 2.0**-5
"""In bits. At this noise or more the grid is so fine that `OFF_GRID` holds."""
OFF_GRID = 1 / (24 * (LEAST_SIGMA * STEPS_PER_BIT) ** 2)
"""Total variation distance, at most, of one answer from a rounded continuous Gaussian.

With s steps of noise, a step's mass under the rounded law is its mass on the grid times
1 + (z^2/s^2 - 1)/(24 s^2) + O(s^-4); half the mean of |N^2 - 1| is below 1/2 (it is 0.484), so
the distance is below 1/(48 s^2) plus the smaller term: 1/(24 s^2) is twice that."""


class Noise(Protocol):
    """How an answer is made noisy."""

    @property
    def name(self) -> str:
        """As the scenario calls it."""
        ...

    def information(self, epsilon: float) -> float:
        """Return I_1, the most nats that one answer leaks."""
        ...

    def safe_count(self, persons: int, epsilon: float, max_success: float) -> int:
        """Return the most answers after which no attacker succeeds with more than max_success."""
        ...


@dataclass(frozen=True)
class RandomizedResponse:
    """The bit, flipped with probability 1/(1 + e^epsilon)."""

    name: str = "rr"

    def information(self, epsilon: float) -> float:
        """Return I_1 in nats."""
        return rr_information(epsilon)

    def safe_count(self, persons: int, epsilon: float, max_success: float) -> int:
        """Return the largest k with `success_bound` <= max_success.

        Raises:
            ParameterInvalid: max_success is below 1/n.
        """
        return largest_safe_count(persons, epsilon, max_success)


@dataclass(frozen=True)
class GaussianAnswers:
    """The bit plus a discrete Gaussian on a fixed grid, (epsilon, delta)-private.

    Attributes:
        delta: in (0, 1).
    """

    delta: float
    name: str = "gaussian"

    def steps(self, epsilon: float) -> int:
        """Return the noise in grid steps: the smallest that is private at all, rounded up.

        Raises:
            ParameterInvalid: epsilon is so large that the grid would be too coarse.

        Source: B. Balle and Y.-X. Wang, ICML 2018, for the smallest.
        """
        sigma = gaussian_sigma(epsilon, self.delta, calibration="analytic")
        if sigma < LEAST_SIGMA:
            refuse("epsilon", f"small enough for noise of {LEAST_SIGMA:g} or more", epsilon)
        return math.ceil(sigma * STEPS_PER_BIT)

    def sigma(self, epsilon: float) -> float:
        """Return the noise in bits, as `steps`."""
        return self.steps(epsilon) / STEPS_PER_BIT

    def information(self, epsilon: float) -> float:
        """Return I_1 in nats."""
        return gaussian_information(1.0, self.sigma(epsilon))

    def safe_count(self, persons: int, epsilon: float, max_success: float) -> int:
        """Return the largest k with `success_bound_gaussian` <= max_success, grid included.

        k answers on the grid are within k `OFF_GRID` of rounded Gaussians, which tell no more
        than Gaussians.

        Raises:
            ParameterInvalid: max_success is below 1/n.
        """
        sigma = self.sigma(epsilon)
        count = largest_safe_count_gaussian(persons, 1.0, sigma, max_success)
        while count and self._bound(persons, sigma, count) > max_success:
            count -= 1
        return count

    @staticmethod
    def _bound(persons: int, sigma: float, count: int) -> float:
        return success_bound_gaussian(persons, 1.0, sigma, count) + count * OFF_GRID


def noise_of(settings: PolicySettings) -> Noise:
    """Return how answers are made noisy.

    Raises:
        ParameterInvalid: no such mechanism.
    """
    table: dict[str, Noise] = {
        "rr": RandomizedResponse(),
        "gaussian": GaussianAnswers(settings.delta),
    }
    if settings.mechanism not in table:
        refuse("mechanism", " or ".join(table), settings.mechanism)
    return table[settings.mechanism]
