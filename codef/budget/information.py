"""The corrected rule: what was leaked adds up, whatever the epsilon it was leaked at."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from collude.codef.budget.state import Decision, PersonState
from collude.codef.leakage import rr_information
from collude.codef.numeric.checks import (
    epsilon_of_answer,
    gamma_of,
    persons,
    positive,
    refuse,
)

ROUNDING = 1e-9
"""Nats by which sums may differ from the budget and count as equal."""


@dataclass(frozen=True)
class InformationBudget:
    """Spend at most gamma ln n nats on a person: the largest epsilon of a grid that still fits.

    Every answer is charged I_1(epsilon), the most that any attribute can leak, not what it was
    measured to leak. So the sum holds for dependent attributes (the XOR pair leaks nothing answer
    by answer, and is charged 2 I_1), for attackers who choose silos as answers come, and for
    epsilons chosen as answers come. It assumes that the noise of the answers is independent.

    Gamma is not a risk: by Fano's inequality the attacker's error stays above about
    1 - gamma - ln 2/ln n, which is little. Use `SuccessBudget` to choose a risk.

    Attributes:
        n: persons, 2 or more.
        gamma: share of ln n that may be spent, in (0, 1].
        grid: epsilons that may be used, each above 0.
    """

    n: float
    gamma: float
    grid: Sequence[float]

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            ParameterInvalid: a value is out of range, or the grid is empty.
        """
        persons(self.n)
        gamma_of(self.gamma)
        if not len(self.grid):
            refuse("grid", "one epsilon or more", self.grid)
        for epsilon in self.grid:
            epsilon_of_answer(positive("grid", epsilon))

    @property
    def nats(self) -> float:
        """The whole budget, gamma ln n."""
        return self.gamma * math.log(self.n)

    def spent(self, state: PersonState) -> float:
        """Return the nats charged so far.

        Raises:
            ParameterInvalid: `spent_nats` is less than I_1 times the answers: a measured leakage,
                which dependent silos undercut, must not take the charge's place.
        """
        charged = math.fsum(count * rr_information(epsilon) for epsilon, count in state.spent)
        if state.spent_nats is None:
            return charged
        if state.spent_nats < charged - ROUNDING:
            refuse(
                "spent_nats",
                f"at least I_1 times the answers, {charged:.6g}",
                state.spent_nats,
                "answers that leak nothing each can leak together: charge I_1, not what each leaks",
            )
        return state.spent_nats

    def decide(self, state: PersonState) -> Decision:
        """Return the largest epsilon at which the whole lease fits.

        Raises:
            ParameterInvalid: as `spent`.
        """
        left = self.nats - self.spent(state)
        for epsilon in sorted(self.grid, reverse=True):
            cost = state.lease_slots * rr_information(epsilon)
            if cost <= left + ROUNDING:
                return Decision(epsilon, f"{cost:.4g} of {left:.4g} nats left")
        return Decision(None, f"{max(left, 0.0):.4g} nats left: no epsilon fits")
