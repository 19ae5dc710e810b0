"""The policy `paper`: paper 2's rule, for comparison. It promises nothing."""

import math
from dataclasses import dataclass, replace

from collude.codef.budget import PaperRule, PersonState
from collude.codef.numeric.checks import refuse
from collude.codef.policy.grant import WITHHELD, Counts, Grant, person_by_person
from collude.codef.policy.noise import Noise, noise_of
from collude.codef.policy.settings import PolicySettings
from collude.codef.risk import critical_silos


@dataclass(frozen=True)
class _Rule(PaperRule):
    """`PaperRule` for either mechanism.

    Attributes:
        noise: of the answers.
    """

    noise: Noise

    def threshold(self, epsilon: float) -> int:
        """Return floor(gamma k*) at an epsilon."""
        return math.floor(self.gamma * critical_silos(self.n, self.noise.information(epsilon)))


class PaperPolicy:
    """Answer at one level until a count passes a threshold, then at the next until its own.

    Counts are answers. There are no leases: every silo may answer every attribute at the level of
    the last count, so all that is answered between two counts comes on top (`leased` is False).
    """

    name = "paper"
    leased = False
    unit: float | None = None
    guarantee = (
        "It promises nothing: it forgets what was answered before the switch, and what is answered "
        "between two counts comes on top."
    )

    def __init__(self, settings: PolicySettings) -> None:
        """Compute the thresholds.

        Raises:
            ParameterInvalid: a number is out of range, or epsilon_after is not below epsilon.
        """
        first, after = float(settings.epsilon), float(settings.epsilon_after)
        noise = noise_of(settings)
        self._rule = _Rule(settings.persons, first, after, settings.gamma, noise)
        self.levels: tuple[float, ...] = (first, after)
        self.thresholds = tuple(map(self._rule.threshold, self.levels))
        self._attributes = max(settings.attributes, 1)
        self.cap = self._attributes

    def charge(self, level: int) -> int:
        """Return 1 for an answer, 0 for none.

        Raises:
            ParameterInvalid: no such level.
        """
        if level not in {WITHHELD, 0, 1}:
            refuse("level", "0 or 1, or -1 for no answer", level)
        return int(level != WITHHELD)

    def charge_of_lease(self, level: int, slots: int) -> int:
        """Return how many answers a silo may give: its slots, at most one an attribute.

        Raises:
            ParameterInvalid: no such level.
        """
        return self.charge(level) * min(slots, self._attributes)

    def grant(self, spent: Counts, silos: int, slots_per_lease: int) -> Grant:
        """Return, for each person, the level of the count, and every attribute of every silo.

        Raises:
            ParameterInvalid: an argument is out of range.
        """

        def decide(count: int) -> tuple[int, int]:
            # The rule looks at the number alone; at which epsilon it was answered is forgotten.
            state = PersonState(((self.levels[0], count),), 1)
            epsilon = self._rule.decide(state).epsilon
            if epsilon is None:
                return WITHHELD, 0
            return self.levels.index(epsilon), silos * self._attributes

        return replace(person_by_person(spent, silos, slots_per_lease, decide), leased=False)
