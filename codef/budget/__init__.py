"""Who may still be answered about: policies that are pure functions of what was answered before.

- `SuccessBudget`: no attacker names the person with more than a chosen probability. Recommended.
- `InformationBudget`: nats are summed; any mix of epsilons, a weaker statement.
- `PaperRule`: paper 2's rule, kept for comparison. It forgets what it answered: no protection.
- `TheoryOfMindFilter`: follows the attacker's belief; needs to see everything. `LeakyTheoryOfMind\
Filter` is the naive one, whose refusals give the answer away.

None of them is ever reset by a change of epsilon.
"""

from collude.codef.budget.dependence import (
    joint_information,
    refuse_undercharged,
    single_information,
)
from collude.codef.budget.information import InformationBudget
from collude.codef.budget.paper import PaperRule
from collude.codef.budget.per_silo import silo_budgets, silo_epsilons
from collude.codef.budget.scheduled import ScheduledSuccessBudget
from collude.codef.budget.state import Decision, PersonState, Policy
from collude.codef.budget.success import SuccessBudget
from collude.codef.budget.theory_of_mind import LeakyTheoryOfMindFilter, TheoryOfMindFilter

__all__ = [
    "Decision",
    "InformationBudget",
    "LeakyTheoryOfMindFilter",
    "PaperRule",
    "PersonState",
    "Policy",
    "ScheduledSuccessBudget",
    "SuccessBudget",
    "TheoryOfMindFilter",
    "joint_information",
    "refuse_undercharged",
    "silo_budgets",
    "silo_epsilons",
    "single_information",
]
