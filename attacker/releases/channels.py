"""How a silo makes a bit noisy, as whoever hears the answer knows it.

All that an answer tells is one number: half the log-likelihood ratio of a one against a zero,
w = ln(P(answer | 1) / P(answer | 0)) / 2.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from collude.codef.numeric.checks import refuse
from collude.common.protocol.release_messages import WITHHELD

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

WHOLE = 1e-9


class Channel(Protocol):
    """A noise mechanism with its levels."""

    @property
    def levels(self) -> int:
        """How many levels there are; level i of the wire is from 0 to below this, -1 withheld."""
        ...

    def allows(self, values: Integers, levels: Integers) -> Mask:
        """Return which values can be an answer at their level."""
        ...

    def half_ratios(self, values: Integers, levels: Integers) -> Floats:
        """Return w of each answer, at levels from 0."""
        ...


def _levels_known(levels: Integers, count: int) -> Mask:
    return np.asarray((levels >= WITHHELD) & (levels < count))


def _positive(field: str, numbers: tuple[float, ...]) -> None:
    if not numbers or not all(0 < number < np.inf for number in numbers):
        refuse(field, "one or more finite numbers above 0", numbers)


@dataclass(frozen=True)
class RandomisedResponse:
    """A bit is flipped with probability 1/(1 + e^epsilon): w = +-epsilon/2.

    Attributes:
        epsilons: of each level.
    """

    epsilons: tuple[float, ...]

    def __post_init__(self) -> None:
        """Check the levels.

        Raises:
            ParameterInvalid: an epsilon is not above 0.
        """
        _positive("epsilons", self.epsilons)

    @property
    def levels(self) -> int:
        """How many levels there are."""
        return len(self.epsilons)

    def allows(self, values: Integers, levels: Integers) -> Mask:
        """Return which values are a bit, or 0 where withheld."""
        top = np.where(levels == WITHHELD, 0, 1)
        return np.asarray(_levels_known(levels, self.levels) & (values >= 0) & (values <= top))

    def half_ratios(self, values: Integers, levels: Integers) -> Floats:
        """Return +-epsilon/2 of each answer."""
        return np.asarray((2 * values - 1) * np.array(self.epsilons)[levels] / 2)


@dataclass(frozen=True)
class DiscreteGaussian:
    """A bit plus a discrete Gaussian on the grid: w = (answer - 1/2) / (2 sigma^2).

    P(answer) is proportional to exp(-(answer - bit)^2 / (2 sigma^2)) on multiples of the grid;
    both bits lie on the grid, so both laws have one constant and the ratio is exact.

    Attributes:
        sigmas: of each level.
        grid: step; a value on the wire counts steps. 1/grid is whole.
    """

    sigmas: tuple[float, ...]
    grid: float

    def __post_init__(self) -> None:
        """Check levels and grid.

        Raises:
            ParameterInvalid: a sigma is not above 0, or 1 does not lie on the grid.
        """
        _positive("sigmas", self.sigmas)
        _positive("grid", (self.grid,))
        if abs(1 / self.grid - round(1 / self.grid)) > WHOLE / self.grid:
            refuse("grid", "1 divided by a whole number", self.grid)

    @property
    def levels(self) -> int:
        """How many levels there are."""
        return len(self.sigmas)

    def allows(self, values: Integers, levels: Integers) -> Mask:
        """Return which values may be: any at a level, 0 where withheld."""
        fits: Any = (levels != WITHHELD) | (values == 0)
        return np.asarray(_levels_known(levels, self.levels) & fits)

    def half_ratios(self, values: Integers, levels: Integers) -> Floats:
        """Return (answer - 1/2) / (2 sigma^2) of each answer."""
        return np.asarray((values * self.grid - 0.5) / (2 * np.array(self.sigmas)[levels] ** 2))
