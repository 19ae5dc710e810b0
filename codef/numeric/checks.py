"""Refusals shared by the formulas: each names the argument, what it may be, and what came."""

from typing import Any, NoReturn, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import ParameterInvalid

Array: TypeAlias = NDArray[np.float64]

MOST_ANSWERS = 2**53
"""Counts are exact in float64 up to here."""
LARGEST_EPSILON = 700.0
"""Above, the probability of a flip is no longer a normal float64."""


def refuse(field: str, expected: str, got: object, hint: str | None = None) -> NoReturn:
    """Raise the one error of this package.

    Raises:
        ParameterInvalid: always.
    """
    reason = f"{field} must be {expected}"
    raise ParameterInvalid(reason, field=field, expected=expected, got=got, hint=hint)


def unwrapped(value: Array) -> Any:
    """Return a Python float for a zero-dimensional array, else the array."""
    return float(value) if value.ndim == 0 else value


def non_negative(field: str, value: object) -> Array:
    """Return `value` as an array, refusing what is negative or no number; infinity is allowed."""
    array = np.asarray(value, dtype=np.float64)
    if not bool((array >= 0).all()):
        refuse(field, "zero or more", value)
    return array


def fraction(field: str, value: object) -> Array:
    """Return `value` as an array of numbers in [0, 1]."""
    array = np.asarray(value, dtype=np.float64)
    if not bool(((array >= 0) & (array <= 1)).all()):
        refuse(field, "between 0 and 1", value)
    return array


def persons(n: float) -> float:
    """Return the number of persons: finite, 2 or more, not necessarily whole (a float to 1e64)."""
    if not 2 <= n < np.inf:  # noqa: PLR2004 -- one person alone is always identified
        refuse("persons", "a finite number, 2 or more", n)
    return float(n)


def answers(k: float, field: str = "answers") -> int:
    """Return the number of answers: whole, 0 to 2^53."""
    if not 0 <= k <= MOST_ANSWERS or k != int(k):
        refuse(field, "a whole number from 0 to 2^53", k)
    return int(k)


def epsilon_of_answer(epsilon: float) -> float:
    """Return the epsilon of one answer: 0 to 700."""
    if not 0 <= epsilon <= LARGEST_EPSILON:
        refuse("epsilon", f"from 0 to {LARGEST_EPSILON:g}", epsilon)
    return float(epsilon)


def positive(field: str, value: float) -> float:
    """Return `value`, refusing what is not finite and above 0."""
    if not 0 < value < np.inf:
        refuse(field, "a finite number above 0", value)
    return float(value)


def open_fraction(field: str, value: float) -> float:
    """Return `value`, refusing what is not strictly between 0 and 1."""
    if not 0 < value < 1:
        refuse(field, "above 0 and below 1", value)
    return float(value)


def gamma_of(gamma: float) -> float:
    """Return gamma, the fraction of ln n that may be spent: in (0, 1]."""
    if not 0 < gamma <= 1:
        refuse("gamma", "above 0 and at most 1", gamma)
    return float(gamma)


def chance_of_best(max_prior: float | None, n: float) -> float:
    """Return the attacker's chance before any answer: `max_prior`, by default 1/n."""
    if max_prior is None:
        return 1 / n
    if not 1 / n * (1 - 1e-12) <= max_prior <= 1:
        refuse("max_prior", f"from 1/n = {1 / n:.3g} to 1", max_prior)
    return float(max_prior)


def floats(value: object) -> Array:
    """Return `value` as a float64 array."""
    return cast("Array", np.asarray(value, dtype=np.float64))
