"""The same posterior, from answers that were asked for one by one, each where it tells most."""

from collude.attacker.attacks.maximum_likelihood import MaximumLikelihood
from collude.attacker.releases.strategies.base import Strategy
from collude.attacker.releases.strategies.greedy_adaptive import GreedyAdaptive as Greedy


class GreedyAdaptive(MaximumLikelihood):
    """The exact posterior of a querier who chooses the next question by the answers so far."""

    name = "greedy-adaptive"
    title = "Greedy adaptive"
    source = "greedy information gain, as in noisy twenty questions; design 4, 1.3"

    def strategy(self) -> Strategy:
        """Return how its answers are collected."""
        return Greedy()
