"""A risk is chosen, and the number of answers follows."""

import math
from dataclasses import dataclass
from functools import cached_property

from collude.codef.budget.state import Decision, PersonState
from collude.codef.numeric.checks import epsilon_of_answer, persons, positive
from collude.codef.risk import largest_safe_count
from collude.codef.risk.sphere_packing import refuse_unreachable

SAME = 1e-12


@dataclass(frozen=True)
class SuccessBudget:
    """Grant slots, all at ONE epsilon, until an attacker might succeed with more than s.

    The guarantee is `success_bound`: any attributes, any adaptive choice of silos. It holds only
    while every answer about the person in the period has this one epsilon; an answer at another
    one, once given, ends all answering (there is no bound any more). For several epsilons fixed
    beforehand use `ScheduledSuccessBudget`. Slots that were leased and not used may be handed
    back: leave them out of `spent`.

    Attributes:
        n: persons, 2 or more.
        epsilon: of every answer, above 0.
        max_success: s, from 1/n to below 1.
    """

    n: float
    epsilon: float
    max_success: float

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            ParameterInvalid: a value is out of range.
        """
        refuse_unreachable(persons(self.n), self.max_success)
        epsilon_of_answer(positive("epsilon", self.epsilon))

    @cached_property
    def slots(self) -> int:
        """Answers about one person in the whole period, all silos together."""
        return largest_safe_count(self.n, self.epsilon, self.max_success)

    def decide(self, state: PersonState) -> Decision:
        """Grant the lease if all its slots are left."""
        others = [
            e for e, c in state.spent if c and not math.isclose(e, self.epsilon, rel_tol=SAME)
        ]
        if others:
            return Decision(
                None,
                f"answers at epsilon {others[0]:g} were given: "
                f"the bound holds for epsilon {self.epsilon:g} alone",
            )
        if not state.spent and state.spent_nats:
            return Decision(None, "slots are counted in answers, and only nats were given")
        left = self.slots - state.count
        if state.lease_slots > left:
            return Decision(None, f"{max(left, 0)} of {self.slots} slots left")
        return Decision(self.epsilon, f"{left} of {self.slots} slots left")
