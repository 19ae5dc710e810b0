"""The universal bound: what no attacker can exceed, whatever the attributes, however adaptive.

For each person the map from noise to answers is one to one, also when the next silo is chosen in
the light of the answers so far. So the noise patterns for which the n persons are named correctly
have 2^k members altogether, and the attacker does best if they are the most likely ones: the
success is at most the probability of the 2^k/n most likely noise patterns. In other words, the
power of the best test of the noise against fair coins at level 1/n (docs/risk.md).
"""

import math

import numpy as np

from collude.codef.leakage import rr_information
from collude.codef.numeric.binomial import reach, window
from collude.codef.numeric.checks import (
    MOST_ANSWERS,
    Array,
    chance_of_best,
    epsilon_of_answer,
    floats,
    open_fraction,
    persons,
    positive,
    refuse,
)
from collude.codef.numeric.scores import Schedule, merged, summed, unit_of
from collude.codef.risk.bounds import critical_silos
from collude.codef.risk.exact import flips
from collude.codef.risk.search import last_at_most
from collude.codef.risk.values import Guarantee

CONDITION = (
    "every answer's epsilon was fixed before the first answer, "
    "the answers' noise is independent, "
    "and a person is named by the answers about it alone"
)


def success_bound(n: float, schedule: Schedule, max_prior: float | None = None) -> Guarantee:
    """Return the most that any attacker's success probability can be. READ THE CONDITION.

    It holds for any attributes, any estimator, and silos chosen as the answers come, but ONLY if
    every slot's epsilon is fixed before the first answer, or all are equal. If an epsilon may
    depend on earlier answers the bound is false even when it is met after every history: with
    n = 4 and epsilons from {.5, 1, 2} an attacker reaches .5925 where the bound of every
    reachable history is at most .554. Bound all slots ever granted, or use one epsilon.

    It is about ONE person's answers. Whoever has the answers about all n persons, and knows that
    each is one of the n, matches them one to one and can be right more often: .82 where the bound
    is .79 (n = 500, 60 answers, epsilon 1); where the bound is .085, .085. The attack `one-to-one`
    measures it.

    Args:
        n: persons, 2 or more; a float, to 1e64.
        schedule: (epsilon, count) pairs: ALL answers that may be given, fixed beforehand.
        max_prior: largest probability of a person before any answer; 1/n by default.

    Returns:
        The bound, with its condition; `max_prior` for no answers.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    n, counts = persons(n), merged(schedule)
    chance = chance_of_best(max_prior, n)
    if not counts:
        return Guarantee(chance, CONDITION)
    if len(counts) == 1:
        mass, ratio = _one_epsilon(*next(iter(counts.items())))
    else:
        mass, ratio = _several(counts)
    return Guarantee(best_test(mass, ratio, chance), CONDITION)


def best_test(mass: Array, log_ratio: Array, level: float) -> float:
    """Return the power of the best test at a level (Neyman and Pearson), its last atom in part.

    Args:
        mass: P of each atom, (m,), the largest likelihood ratio first.
        log_ratio: ln P/Q of each atom, (m,), descending; too large a ratio gives too large a power.
        level: the Q mass the test may have.
    """
    with np.errstate(divide="ignore", over="ignore"):
        spent = np.cumsum(np.exp(np.log(mass) - log_ratio))
    last = int(np.searchsorted(spent, level))
    if last == len(mass):
        return 1.0
    left = level - (float(spent[last - 1]) if last else 0.0)
    part = left * math.exp(min(float(log_ratio[last]), 700.0))
    return min(1.0, float(mass[:last].sum()) + min(part, float(mass[last])))


def _one_epsilon(epsilon: float, k: int) -> tuple[Array, Array]:
    p, q = flips(epsilon)
    counts = window(*reach(k, q))
    # The first count of each atom, so that grouped counts (beyond some 10^7 answers) round up.
    return counts.masses(k, q, p), floats(k * log_gain(epsilon) - epsilon * counts.starts)


def _several(counts: dict[float, int]) -> tuple[Array, Array]:
    unit = unit_of(counts)
    total = summed(counts, unit, laws=1, down=True)
    gain = sum(count * log_gain(epsilon) for epsilon, count in counts.items())
    return floats(total.mass[0]), floats(gain - unit * total.level)


def log_gain(epsilon: float) -> float:
    """Return ln 2p: the log-likelihood ratio of an unflipped answer against a fair coin."""
    return math.log1p(math.tanh(epsilon / 2))


def largest_safe_count(n: float, epsilon: float, max_success: float) -> int:
    """Return the most answers at one epsilon after which no attacker succeeds with more than s.

    The slots of the policy `success`; computed with `success_bound`, so it holds for adaptive
    attackers too, as long as all the answers have this epsilon.

    Args:
        n: persons, 2 or more; a float, to 1e64.
        epsilon: of every answer, above 0.
        max_success: s, from 1/n (no answer may help) to below 1.

    Raises:
        ParameterInvalid: (a ValueError) s is below 1/n, where already a guess is too good, or
            another argument is out of range.
    """
    n, epsilon = persons(n), epsilon_of_answer(positive("epsilon", epsilon))
    refuse_unreachable(n, max_success)
    scale = critical_silos(n, rr_information(epsilon))
    return last_at_most(
        lambda k: success_bound(n, [(epsilon, k)]), max_success, scale / 4, MOST_ANSWERS
    )


def refuse_unreachable(n: float, max_success: float) -> None:
    """Refuse a risk that a guess exceeds, or that every attacker stays under.

    Raises:
        ParameterInvalid: not from 1/n to below 1.
    """
    open_fraction("max_success", max_success)
    if max_success < 1 / n:
        refuse(
            "max_success",
            f"at least 1/n = {1 / n:.4g}",
            max_success,
            "a guess without any answer already succeeds that often",
        )
