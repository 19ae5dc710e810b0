"""Composition that needs to know nothing of a mechanism but its (epsilon, delta)."""

import math
from collections.abc import Iterable

from collude.codef.numeric.checks import answers, non_negative, open_fraction, refuse


def basic_composition(guarantees: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return (sum of the epsilons, sum of the deltas, at most 1).

    Valid also if each mechanism is chosen in the light of the answers before.

    Args:
        guarantees: (epsilon, delta) of each answer, epsilon >= 0, delta in [0, 1].

    Raises:
        ParameterInvalid: a value is out of range.

    Source: paper 2, Proposition 4.1. Its proof does not hold; Dwork and Roth, The algorithmic
    foundations of differential privacy (2014), Theorem 3.16, does.
    """
    pairs = [_checked(epsilon, delta) for epsilon, delta in guarantees]
    total = math.fsum(epsilon for epsilon, _ in pairs)
    return total, min(1.0, math.fsum(delta for _, delta in pairs))


def advanced_composition(
    epsilon: float, delta: float, k: float, delta_slack: float, *, sharpened: bool = False
) -> tuple[float, float]:
    """Return (epsilon', delta') of k answers: grows like sqrt(k) for small epsilon.

    epsilon' = sqrt(2 k ln(1/delta_slack)) epsilon + k epsilon (e^epsilon - 1),
    delta' = k delta + delta_slack, at most 1.

    Args:
        epsilon: of each answer, 0 or more.
        delta: of each answer, in [0, 1].
        k: answers, 0 or more.
        delta_slack: in (0, 1).
        sharpened: replace e^epsilon - 1 by tanh(epsilon/2), the largest mean privacy loss there is.

    Raises:
        ParameterInvalid: an argument is out of range.

    Source: Dwork, Rothblum and Vadhan, FOCS 2010, Theorem III.3.
    """
    _checked(epsilon, delta)
    k = answers(k)
    open_fraction("delta_slack", delta_slack)
    growth = math.tanh(epsilon / 2) if sharpened else _expm1(epsilon)
    spread = math.sqrt(2 * k * math.log(1 / delta_slack)) * epsilon
    return spread + k * epsilon * growth, min(1.0, k * delta + delta_slack)


def group_privacy(epsilon: float, delta: float, records: float) -> tuple[float, float]:
    """Return (c epsilon, delta (e^(c epsilon) - 1)/(e^epsilon - 1), at most 1) for c records.

    Args:
        epsilon: for one record, 0 or more.
        delta: for one record, in [0, 1].
        records: c, how many records of one person a silo holds, 0 or more.

    Raises:
        ParameterInvalid: an argument is out of range.

    Source: Dwork and Roth (2014), Theorem 2.2 and its remark, with delta kept sharp.
    """
    _checked(epsilon, delta)
    c = answers(records)
    if epsilon == 0 or c == 0:
        return c * epsilon, min(1.0, c * delta)
    # (e^(c e) - 1)/(e^e - 1), without the overflow of its numerator
    log_growth = (c - 1) * epsilon + math.log1p(-math.exp(-c * epsilon))
    log_growth -= math.log1p(-math.exp(-epsilon))
    return c * epsilon, _at_most_one(delta, log_growth)


def _at_most_one(delta: float, log_growth: float) -> float:
    if delta == 0:
        return 0.0
    return math.exp(min(0.0, math.log(delta) + log_growth))


def _expm1(epsilon: float) -> float:
    try:
        return math.expm1(epsilon)
    except OverflowError:
        return math.inf


def _checked(epsilon: float, delta: float) -> tuple[float, float]:
    non_negative("epsilon", epsilon)
    if not 0 <= delta <= 1:
        refuse("delta", "from 0 to 1", delta)
    return float(epsilon), float(delta)
