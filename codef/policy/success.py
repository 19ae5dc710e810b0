"""The policy `success`: one epsilon, and slots until an attacker might succeed too often."""

from dataclasses import dataclass
from functools import cached_property

from collude.codef.budget import PersonState, SuccessBudget
from collude.codef.numeric.checks import refuse
from collude.codef.policy.grant import WITHHELD, Counts, Grant, person_by_person
from collude.codef.policy.noise import Noise, noise_of
from collude.codef.policy.settings import PolicySettings


@dataclass(frozen=True)
class _Budget(SuccessBudget):
    """`SuccessBudget` for either mechanism.

    Attributes:
        noise: of the answers.
    """

    noise: Noise

    @cached_property
    def slots(self) -> int:
        """Answers about one person in the whole period, all silos together."""
        return self.noise.safe_count(int(self.n), self.epsilon, self.max_success)


class SuccessPolicy:
    """Grant slots at ONE epsilon, `slots` about each person in the whole period.

    Counts are answers. What is granted fits into what is left, and only what was used, or may have
    been used by silos that were not counted, is charged: unused slots come back by themselves.
    """

    name = "success"
    leased = True
    unit: float | None = None

    def __init__(self, settings: PolicySettings) -> None:
        """Compute the slots.

        Raises:
            ParameterInvalid: a number is out of range, or not even one answer is safe.
        """
        noise = noise_of(settings)
        self._budget = _Budget(settings.persons, settings.epsilon, settings.max_success, noise)
        self.levels: tuple[float, ...] = (float(settings.epsilon),)
        self.slots = self._budget.slots
        if self.slots < 1:
            refuse(
                "max_success",
                "large enough for one answer to be safe",
                settings.max_success,
                "raise codef.max_success, lower codef.epsilon, or ask about more persons",
            )
        self._most = settings.attributes or self.slots
        self.cap = min(self.slots, self._most)
        self.guarantee = (
            f"Nobody names a person by the answers about it with more than probability "
            f"{settings.max_success:g}: all silos together answer at most {self.slots} times about "
            f"each, all at epsilon {settings.epsilon:g}. Who matches the answers about all persons "
            f"one to one can be right more often."
        )

    def charge(self, level: int) -> int:
        """Return 1 for an answer, 0 for none.

        Raises:
            ParameterInvalid: no such level.
        """
        if level not in {WITHHELD, 0}:
            refuse("level", "0, or -1 for no answer", level)
        return level - WITHHELD

    def charge_of_lease(self, level: int, slots: int) -> int:
        """Return how many answers a lease allows: none at -1, and never more than attributes.

        Raises:
            ParameterInvalid: no such level.
        """
        return self.charge(level) * min(slots, self._most)

    def grant(self, spent: Counts, silos: int, slots_per_lease: int) -> Grant:
        """Return, for each person, as many slots as are left, up to a whole lease for every silo.

        Raises:
            ParameterInvalid: an argument is out of range.
        """

        def decide(count: int) -> tuple[int, int]:
            fits = min(silos * slots_per_lease, self.slots - count)
            given = ((self.levels[0], count),) if count else ()
            if fits < 1 or self._budget.decide(PersonState(given, fits)).epsilon is None:
                return WITHHELD, 0
            return 0, fits

        return person_by_person(spent, silos, slots_per_lease, decide)
