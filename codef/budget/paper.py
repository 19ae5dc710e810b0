"""Paper 2's rule, as written: compare a count with a threshold that moves when epsilon does."""

import math
from dataclasses import dataclass

from collude.codef.budget.state import Decision, PersonState
from collude.codef.leakage import rr_information
from collude.codef.numeric.checks import epsilon_of_answer, gamma_of, persons, positive, refuse
from collude.codef.risk import critical_silos


@dataclass(frozen=True)
class PaperRule:
    """Answer at `epsilon` up to gamma k*(epsilon), then at `epsilon_after` up to its own threshold.

    FOR COMPARISON ONLY. The answers given before the switch leak what they leaked, but the rule
    counts them as if they had been given at the lower epsilon: at n = 500, 1 -> 0.5, gamma = 0.8
    it stops when the attacker names the person in 86 of 100 cases. Gamma is not a risk either: at
    gamma = 0.5 the attacker already succeeds 29 times in 100. It ignores leases, so the answers
    of one counting interval come on top.

    Attributes:
        n: persons, 2 or more.
        epsilon: before the switch, above 0.
        epsilon_after: after it, above 0 and below `epsilon`.
        gamma: in (0, 1].

    Source: paper 2, section 8.3. Exactly floor(gamma k*) answers are given at each level; the
    text's ">=" would give one more.
    """

    n: float
    epsilon: float
    epsilon_after: float
    gamma: float

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            ParameterInvalid: a value is out of range.
        """
        persons(self.n)
        epsilon_of_answer(positive("epsilon", self.epsilon))
        gamma_of(self.gamma)
        if not 0 < self.epsilon_after < self.epsilon:
            refuse("epsilon_after", "above 0 and below epsilon", self.epsilon_after)

    def threshold(self, epsilon: float) -> int:
        """Return floor(gamma k*) at an epsilon."""
        return math.floor(self.gamma * critical_silos(self.n, rr_information(epsilon)))

    def decide(self, state: PersonState) -> Decision:
        """Compare the number of answers with the two thresholds; what they leaked is forgotten."""
        for epsilon in (self.epsilon, self.epsilon_after):
            limit = self.threshold(epsilon)
            if state.count < limit:
                return Decision(epsilon, f"{state.count} answers of gamma k* = {limit}")
        return Decision(None, f"{state.count} answers reach gamma k* = {limit} of epsilon_after")
