"""Several epsilons under the success bound: only on a schedule that everybody knows beforehand."""

from dataclasses import dataclass

from collude.codef.budget.state import Decision, PersonState
from collude.codef.numeric.checks import persons, positive, refuse
from collude.codef.numeric.scores import merged
from collude.codef.risk import success_bound
from collude.codef.risk.sphere_packing import refuse_unreachable


@dataclass(frozen=True)
class ScheduledSuccessBudget:
    """Grant the slots of a published schedule in order; the bound covers all of them together.

    Attributes:
        n: persons, 2 or more.
        schedule: (epsilon, count) in the order in which slots are granted. It must not be changed
            once the first answer is out: the bound is false for epsilons that depend on answers.
        max_success: s; a schedule whose bound exceeds it is refused.
    """

    n: float
    schedule: tuple[tuple[float, int], ...]
    max_success: float

    def __post_init__(self) -> None:
        """Check every value, and the bound on the whole schedule.

        Raises:
            ParameterInvalid: a value is out of range, or the schedule is too long.
        """
        refuse_unreachable(persons(self.n), self.max_success)
        for epsilon, _ in self.schedule:
            positive("schedule", epsilon)
        bound = success_bound(self.n, self.schedule)
        if bound > self.max_success:
            refuse("schedule", f"with a bound of {self.max_success:g} or less", f"{bound:.4g}")

    def decide(self, state: PersonState) -> Decision:
        """Grant the lease if the schedule was followed so far and its present level has room."""
        if merged(state.spent) != merged(self._beginning(state.count)):
            return Decision(None, "what was answered is not the beginning of the schedule")
        passed = 0
        for epsilon, count in self.schedule:
            passed += count
            if state.count < passed:
                return self._within(epsilon, passed - state.count, state.lease_slots)
        return Decision(None, f"all {passed} slots of the schedule are used")

    @staticmethod
    def _within(epsilon: float, left: int, wanted: int) -> Decision:
        fits = wanted <= left
        return Decision(epsilon if fits else None, f"{left} slots left at epsilon {epsilon:g}")

    def _beginning(self, answers: int) -> list[tuple[float, int]]:
        taken = []
        for epsilon, count in self.schedule:
            taken.append((epsilon, min(count, answers)))
            answers -= taken[-1][1]
        return taken
