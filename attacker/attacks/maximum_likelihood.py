"""Name the person under whom the answers about a handle are likeliest.

No estimator names the right person more often from the answers about one handle: it is the Bayes
decision under a uniform prior. Levels may differ from answer to answer, and answers may be bits or
numbers; all that counts is each answer's log-likelihood ratio (`attacker/releases/evidence.py`).
"""

import numpy as np

from collude.attacker.releases.channels import Floats
from collude.attacker.releases.evidence import posterior_of
from collude.attacker.releases.strategies.base import Strategy
from collude.attacker.releases.strategies.everybody import Everybody
from collude.attacker.releases.view import ReleaseView
from collude.common.errors import AttackImpossible


class MaximumLikelihood:
    """The exact posterior of a querier who knows the attributes and asks everybody."""

    name = "maximum-likelihood"
    title = "Maximum likelihood"
    source = "cross-silo de-anonymization, section 4 (the ML attacker); mixed levels derived here"
    kind = "plain"
    lacks = "the persons' attributes at each silo"

    def strategy(self) -> Strategy:
        """Return how its answers are collected."""
        return Everybody()

    def missing(self, view: ReleaseView) -> tuple[str, ...]:
        """Return what the view lacks, in words."""
        return () if view.knowledge.kind == self.kind else (self.lacks,)

    def identify(self, view: ReleaseView, rng: np.random.Generator) -> Floats:
        """Return the posterior over persons of every handle, (handles, n).

        Raises:
            AttackImpossible: other things than attributes are known.
        """
        del rng  # deterministic
        if lacks := self.missing(view):
            raise AttackImpossible(f"{self.name} cannot run", field="view", expected=lacks[0])
        return posterior_of(view)
