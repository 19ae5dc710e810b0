"""What a policy is made of: plain numbers, as a scenario's `[codef]` gives them."""

from dataclasses import dataclass

from collude.codef.numeric.checks import (
    epsilon_of_answer,
    gamma_of,
    open_fraction,
    persons,
    positive,
    refuse,
)

MOST_BITS = 62
"""Counts are added as int64."""


@dataclass(frozen=True)
class PolicySettings:
    """The public numbers behind a policy; a policy reads those that concern it.

    Attributes:
        policy: registered name, for instance `success`.
        persons: n, 2 or more.
        silos: K, all that may ever count, 1 or more.
        attributes: m, of each person at each silo: a silo answers at most m times about a person.
            0 where counts are not of answers about attributes: then there is no such limit.
        gamma: share of ln n that may be learned about a person, in (0, 1]; `information`, `paper`.
        max_success: largest success of naming a person, from 1/n to below 1; `success`.
        epsilon: of an answer; the only one of `success`, the first of `paper`.
        epsilon_after: of `paper` after the switch.
        epsilon_grid: of `information`; in any order, without repetition.
        unit: nats of one count, above 0; `information`.
        mechanism: `rr`, randomized response, or `gaussian`, a discrete Gaussian.
        delta: in (0, 1); what (epsilon, delta) the Gaussian's noise is set for.
        bits: w: a sum of all silos' counts stays below 2^w; 1 to 62.
    """

    policy: str
    persons: int
    silos: int
    attributes: int
    gamma: float = 0.5
    max_success: float = 0.1
    epsilon: float = 1.0
    epsilon_after: float = 0.5
    epsilon_grid: tuple[float, ...] = (1.0, 0.5, 0.25, 0.125)
    unit: float = 1e-5
    mechanism: str = "rr"
    delta: float = 1e-5
    bits: int = 32

    def __post_init__(self) -> None:
        """Check every number that means something by itself.

        Raises:
            ParameterInvalid: a number is out of range.
        """
        persons(self.persons)
        if self.silos < 1:
            refuse("silos", "1 or more", self.silos)
        if self.attributes < 0:
            refuse("attributes", "0 or more", self.attributes)
        gamma_of(self.gamma)
        open_fraction("max_success", self.max_success)
        open_fraction("delta", self.delta)
        positive("unit", self.unit)
        for name in ("epsilon", "epsilon_after"):
            epsilon_of_answer(positive(name, getattr(self, name)))
        self._check_grid()
        if not 1 <= self.bits <= MOST_BITS:
            refuse("bits", f"from 1 to {MOST_BITS}", self.bits)

    def _check_grid(self) -> None:
        if not self.epsilon_grid:
            refuse("epsilon_grid", "one epsilon or more", self.epsilon_grid)
        for epsilon in self.epsilon_grid:
            epsilon_of_answer(positive("epsilon_grid", epsilon))
        if len(set(self.epsilon_grid)) < len(self.epsilon_grid):
            refuse("epsilon_grid", "without repetition", self.epsilon_grid)
