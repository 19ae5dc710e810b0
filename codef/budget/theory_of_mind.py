"""Filters that follow the attacker's belief about who the target is.

The belief is b_t(z) proportional to b_{t-1}(z) P(y_t | x_{z,t}, epsilon_t): every answer adds
+-epsilon/2 to a person's log-odds. State, action, observation and reward of the decision problem
are in docs/risk.md; the exact problem has a state of n - 1 numbers, so both filters look one step
ahead.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from collude.codef.budget.state import Decision
from collude.codef.numeric.checks import (
    Array,
    epsilon_of_answer,
    floats,
    non_negative,
    persons,
    positive,
    refuse,
)


@dataclass(frozen=True)
class _Belief:
    """What both filters share: the belief, and how an answer changes it.

    Attributes:
        grid: epsilons that may be used, each above 0.
        min_entropy: nats that the attacker must still lack, 0 to ln n.
        prior: the attacker's belief before any answer, (n,), summing to 1.
    """

    grid: Sequence[float]
    min_entropy: float
    prior: Array = field(repr=False)

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            ParameterInvalid: a value is out of range, or the prior is no law.
        """
        if not len(self.grid):
            refuse("grid", "one epsilon or more", self.grid)
        for epsilon in self.grid:
            epsilon_of_answer(positive("grid", epsilon))
        non_negative("min_entropy", self.min_entropy)
        total = float(non_negative("prior", self.prior).sum())
        if np.ndim(self.prior) != 1 or abs(total - 1) > 1e-9:  # noqa: PLR2004 -- rounding
            refuse("prior", "a law over persons, summing to 1", np.shape(self.prior))

    @classmethod
    def uniform(cls, n: int, grid: Sequence[float], min_entropy: float) -> Self:
        """Return the filter for n persons who are equally likely.

        Raises:
            ParameterInvalid: a value is out of range.
        """
        return cls(grid, min_entropy, np.full(int(persons(n)), 1 / int(n)))

    @property
    def belief(self) -> Array:
        """The attacker's belief after the answers observed so far, (n,)."""
        return self.prior

    @property
    def entropy(self) -> float:
        """Nats that the attacker lacks."""
        return entropy(self.prior)

    def observe(self, attributes: ArrayLike, epsilon: float, answer: int) -> Self:
        """Return the filter after an answer went out.

        Args:
            attributes: what every person's answer would be without noise, (n,), 0 or 1.
            epsilon: of the answer.
            answer: 0 or 1.

        Raises:
            ParameterInvalid: an argument is out of range.
        """
        if answer not in {0, 1}:
            refuse("answer", "0 or 1", answer)
        bits = self._checked(attributes)
        return replace(self, prior=_posterior(self.prior, bits == answer, epsilon))

    def _checked(self, attributes: ArrayLike) -> Array:
        bits = floats(attributes)
        if bits.shape != self.prior.shape or not bool(((bits == 0) | (bits == 1)).all()):
            refuse("attributes", f"0 or 1 for each of {len(self.prior)} persons", bits.shape)
        return bits


class TheoryOfMindFilter(_Belief):
    """The simulatable filter: the largest epsilon that is safe for BOTH possible answers.

    It decides before the answer is drawn, from what the attacker knows as well. So a refusal tells
    the attacker nothing, and the entropy never falls below the floor.
    """

    def decide(self, attributes: ArrayLike) -> Decision:
        """Return the largest epsilon with which the attacker still lacks enough, whatever comes.

        Args:
            attributes: what every person's answer would be without noise, (n,), 0 or 1.

        Raises:
            ParameterInvalid: the attributes are not n bits.
        """
        bits = self._checked(attributes)
        for epsilon in sorted(self.grid, reverse=True):
            left = min(entropy(_posterior(self.prior, bits == y, epsilon)) for y in (0, 1))
            if left >= self.min_entropy:
                return Decision(epsilon, f"{left:.4g} nats missing at least")
        return Decision(None, f"one answer could leave less than {self.min_entropy:.4g} nats")


class LeakyTheoryOfMindFilter(_Belief):
    """The naive filter, which looks at the answer it has drawn. IT LEAKS: for comparison only.

    Whether it answers depends on the answer, so its refusals are answers: with a floor of half of
    ln n (n = 200, epsilon = 1) an attacker who reads them gets below the floor.
    """

    def decide(self, attributes: ArrayLike, epsilon: float, drawn: int) -> Decision:
        """Return `epsilon` if the drawn answer leaves the attacker lacking enough, else withhold.

        Raises:
            ParameterInvalid: an argument is out of range.
        """
        left = self.observe(attributes, epsilon, drawn).entropy
        kept = left >= self.min_entropy
        return Decision(epsilon if kept else None, f"{left:.4g} nats missing")

    def observe_refusal(self, attributes: ArrayLike, epsilon: float) -> Self:
        """Return the filter after a refusal, read as an attacker reads it.

        Raises:
            ParameterInvalid: an argument is out of range.
        """
        refused = [y for y in (0, 1) if self.decide(attributes, epsilon, y).epsilon is None]
        return self.observe(attributes, epsilon, refused[0]) if len(refused) == 1 else self


def entropy(belief: Array) -> float:
    """Return the entropy of a belief, in nats."""
    there = belief[belief > 0]
    return max(0.0, float(-(there * np.log(there)).sum()))


def _posterior(prior: Array, agree: Array, epsilon: float) -> Array:
    weight = prior * np.where(agree, 1.0, math.exp(-epsilon_of_answer(epsilon)))
    return floats(weight / weight.sum())
