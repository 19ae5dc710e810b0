"""The policy `information`: nats add up, whatever the epsilon they were leaked at."""

import math

from collude.codef.budget import InformationBudget
from collude.codef.numeric.checks import refuse
from collude.codef.policy.grant import WITHHELD, Counts, Grant, person_by_person
from collude.codef.policy.noise import noise_of
from collude.codef.policy.settings import PolicySettings

ROUNDING = 1e-12
"""Relative error, more than any, of a number of nats in floating point."""


class InformationPolicy:
    """Grant the largest epsilon of the grid at which a whole lease for every silo fits.

    If none fits for all, the smallest epsilon, and as many slots as fit.

    Counts are in units of `unit` nats, and whole: an answer counts ceil(I_1/unit), the budget is
    floor(gamma ln n/unit). Decisions are those of `InformationBudget` in whole numbers: rounding
    is against the answers alone, and a sum of counts cannot differ from what was charged.

    Never exceeded, whatever silos use: before a grant, `spent` is at least what all silos have
    used (a counted silo's count is exact, another is charged all leases it ever held), and a
    grant adds at most budget - spent. So whatever part of it is used, and whoever is counted next,
    what was used stays below the budget, and so does its information (chain rule).
    """

    name = "information"
    leased = True

    def __init__(self, settings: PolicySettings) -> None:
        """Compute the charges.

        Raises:
            ParameterInvalid: a number is out of range, or not one answer fits.
        """
        levels = tuple(sorted(map(float, settings.epsilon_grid), reverse=True))
        whole = InformationBudget(settings.persons, settings.gamma, levels)
        noise = noise_of(settings)
        self.levels: tuple[float, ...] = levels
        self.unit: float | None = settings.unit
        self.budget = math.floor(whole.nats / settings.unit * (1 - ROUNDING))
        self._charges = tuple(
            math.ceil(noise.information(epsilon) / settings.unit * (1 + ROUNDING))
            for epsilon in levels
        )
        if self._charges[-1] > self.budget:
            refuse(
                "gamma",
                "large enough for one answer at the smallest epsilon",
                settings.gamma,
                "raise codef.gamma, or add a smaller epsilon to codef.epsilon_grid",
            )
        self._most = settings.attributes or self.budget
        self.cap = min(self.budget, self._most * self._charges[0])
        self.guarantee = (
            f"No attacker learns more than {whole.nats:.4g} nats about who a person is, "
            f"{settings.gamma:g} of ln n; that is not a risk of being named."
        )

    def charge(self, level: int) -> int:
        """Return the counts of one answer: its nats in units, rounded up; 0 at -1.

        Raises:
            ParameterInvalid: no such level.
        """
        if not WITHHELD <= level < len(self.levels):
            refuse("level", f"from -1 to {len(self.levels) - 1}", level)
        return 0 if level == WITHHELD else self._charges[level]

    def charge_of_lease(self, level: int, slots: int) -> int:
        """Return the counts of a lease that is used up: 0 at -1.

        Raises:
            ParameterInvalid: no such level.
        """
        return self.charge(level) * min(slots, self._most)

    def grant(self, spent: Counts, silos: int, slots_per_lease: int) -> Grant:
        """Return, for each person, the level and slots of the rule above.

        Raises:
            ParameterInvalid: an argument is out of range.
        """
        wanted = silos * slots_per_lease

        def decide(count: int) -> tuple[int, int]:
            left = self.budget - count
            for level, charge in enumerate(self._charges):
                if wanted * charge <= left:
                    return level, wanted
            fits = left // self._charges[-1]
            return (len(self.levels) - 1, fits) if fits > 0 else (WITHHELD, 0)

        return person_by_person(spent, silos, slots_per_lease, decide)
