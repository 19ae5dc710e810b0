"""Name a person by secrets that two silos share, though neither silo's bit tells anything of them.

Silo 2j holds U and silo 2j + 1 holds Z xor U. The two answers' sum is Z through randomised response
with epsilon' = ln cosh epsilon, and nothing else in the pair depends on Z: privacy of each silo by
itself does not compose. A handle about which no pair is complete stays with the uniform posterior.
"""

from collude.attacker.attacks.maximum_likelihood import MaximumLikelihood
from collude.attacker.releases.strategies.base import Strategy
from collude.attacker.releases.strategies.pairs import Pairs


class XorPair(MaximumLikelihood):
    """The exact posterior of a querier who knows the secrets Z alone."""

    name = "xor-pair"
    title = "XOR pair"
    source = "cross-silo de-anonymization, Proposition 5.1; posterior derived here"
    kind = "xor"
    lacks = "the secrets that pairs of silos share"

    def strategy(self) -> Strategy:
        """Return how its answers are collected."""
        return Pairs()
