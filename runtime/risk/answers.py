"""The two kinds of answers a silo may give, and what is known about each."""

import math
from dataclasses import dataclass
from typing import Protocol

from collude.codef import leakage, risk
from collude.codef.risk import Estimate, Guarantee


class Answers(Protocol):
    """Answers about persons, all alike."""

    @property
    def persons(self) -> float:
        """Persons among whom the attacker looks, 2 or more."""
        ...

    @property
    def words(self) -> str:
        """How an answer is made, for the head line."""
        ...

    @property
    def information(self) -> float:
        """Nats per answer."""
        ...

    @property
    def cutoff_rate(self) -> float:
        """Nats per answer in the union bound."""
        ...

    def exact_success(self, k: int) -> Estimate:
        """Return how often the standard attack names the target after k answers."""
        ...

    def guaranteed_success(self, k: int) -> Guarantee:
        """Return what no attack exceeds after k answers."""
        ...

    def largest_safe_count(self, max_success: float) -> int:
        """Return the most answers whose guarantee stays within the risk."""
        ...

    def union_bound_error(self, k: int) -> Estimate | None:
        """Return the union bound on the attack's error, None if there is none."""
        ...

    def gallager_error(self, k: int) -> Estimate | None:
        """Return Gallager's bound on the attack's error, None if there is none."""
        ...


@dataclass(frozen=True)
class RandomizedResponse:
    """Bits, each flipped with probability 1/(1 + e^epsilon)."""

    persons: float
    epsilon: float

    @property
    def words(self) -> str:
        """How an answer is made."""
        flipped = 1 / (1 + math.exp(self.epsilon))
        share = f"{100 * flipped:.1f}" if flipped >= 1e-3 else f"{100 * flipped:.2g}"  # noqa: PLR2004
        return f"yes/no answers at epsilon = {self.epsilon:g} ({share} % of them are flipped)"

    @property
    def information(self) -> float:
        """I_1 in nats."""
        return leakage.rr_information(self.epsilon)

    @property
    def cutoff_rate(self) -> float:
        """C_ML in nats."""
        return leakage.rr_cutoff_rate(self.epsilon)

    def exact_success(self, k: int) -> Estimate:
        """Return the exact success of the standard attack."""
        return Estimate(1 - risk.exact_error(self.persons, self.epsilon, k))

    def guaranteed_success(self, k: int) -> Guarantee:
        """Return the universal bound."""
        return risk.success_bound(self.persons, [(self.epsilon, k)])

    def largest_safe_count(self, max_success: float) -> int:
        """Return the most answers within the risk."""
        return risk.largest_safe_count(self.persons, self.epsilon, max_success)

    def union_bound_error(self, k: int) -> Estimate | None:
        """Return the paper's union bound."""
        return risk.union_bound_error(self.persons, self.epsilon, k)

    def gallager_error(self, k: int) -> Estimate | None:
        """Return Gallager's bound."""
        return risk.gallager_error(self.persons, self.epsilon, k)


@dataclass(frozen=True)
class GaussianAnswers:
    """Numbers with Gaussian noise, about bits whose two values lie `sensitivity` apart."""

    persons: float
    sensitivity: float
    sigma: float

    @property
    def words(self) -> str:
        """How an answer is made."""
        return (
            f"answers with Gaussian noise, sigma = {self.sigma:g} "
            f"for values {self.sensitivity:g} apart"
        )

    @property
    def information(self) -> float:
        """I_1 in nats."""
        return leakage.gaussian_information(self.sensitivity, self.sigma)

    @property
    def cutoff_rate(self) -> float:
        """R_0 in nats."""
        return leakage.gaussian_cutoff_rate(self.sensitivity, self.sigma)

    def exact_success(self, k: int) -> Estimate:
        """Return the success of the standard attack, by integration."""
        error = risk.exact_error_gaussian(self.persons, self.sensitivity, self.sigma, k)
        return Estimate(1 - error)

    def guaranteed_success(self, k: int) -> Guarantee:
        """Return the universal bound."""
        return risk.success_bound_gaussian(self.persons, self.sensitivity, self.sigma, k)

    def largest_safe_count(self, max_success: float) -> int:
        """Return the most answers within the risk."""
        return risk.largest_safe_count_gaussian(
            self.persons, self.sensitivity, self.sigma, max_success
        )

    def union_bound_error(self, _k: int) -> Estimate | None:
        """Return None: stated for bits only."""
        return None

    def gallager_error(self, _k: int) -> Estimate | None:
        """Return None: stated for bits only."""
        return None
