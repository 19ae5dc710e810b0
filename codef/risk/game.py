"""The identification game's last step: who has the best score, ties shared by lot.

The attacker knows every person's attributes, and names the person whose attributes agree best
with the answers. The target's score and the n - 1 others' are independent (attributes are fair
bits), so one sum over the target's score is the whole game (design 4, section 1.5).
"""

import numpy as np

from collude.codef.numeric.checks import Array, floats

SERIES_BELOW = 1e-3


def error_of_best(n: float, target: Array, other: Array) -> float:
    """Return the probability that somebody else is named.

    Args:
        n: persons, 2 to 1e64.
        target: P(the target has this score), (m,), best score first.
        other: P(another person has this score), (m,), the same scores.

    Returns:
        The error probability, with relative accuracy also where it is tiny.
    """
    beaten = np.concatenate([[0.0], np.cumsum(other)[:-1]])
    from_above = np.cumsum(other[::-1])[::-1] + max(0.0, 1.0 - float(other.sum()))
    low = beaten <= 0.5  # noqa: PLR2004 -- take the smaller tail, which is the accurate one
    reached = np.where(low, 1 - beaten, from_above)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_reached = np.where(low, np.log1p(-np.where(low, beaten, 0)), np.log(reached))
        share = np.where(reached > 0, np.minimum(other / reached, 1), 1)
    somebody_better = -np.expm1((n - 1) * log_reached)
    tie_lost = lost_by_lot(n, floats(share))
    lost = somebody_better + tie_lost - somebody_better * tie_lost
    return float(np.where(target > 0, target * lost, 0).sum())


def lost_by_lot(n: float, share: Array) -> Array:
    """Return 1 - (1 - (1 - r)^n)/(n r): losing the lot when nobody is better.

    Args:
        n: persons.
        share: r, the chance of a tie with another person who is not better, elementwise.
    """
    x = n * share
    series = (n - 1) * share / 2 * (1 - (n - 2) * share / 3 * (1 - (n - 3) * share / 4))
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = 1 + np.expm1(n * np.log1p(-share)) / x
    return floats(np.where(x < SERIES_BELOW, series, whole))
