"""The universal bound for Gaussian answers: the meta-converse, rounded upward.

P is the law of an answer, N(mu, 1) with mu = sensitivity/(2 sigma), and Q the even mixture of
N(mu, 1) and N(-mu, 1). Success is at most the power of the best test of P^k against Q^k at level
1/n, and the test statistic is the sum of k independent log-ratios Lambda, whose law is put on a
grid that can only make P and Q easier to tell apart (`numeric/ratios.py`).
"""

import math

import numpy as np

from collude.codef.leakage import gaussian_information
from collude.codef.numeric.checks import (
    MOST_ANSWERS,
    Array,
    answers,
    chance_of_best,
    floats,
    persons,
    positive,
)
from collude.codef.numeric.normal import upper_tail
from collude.codef.numeric.ratios import TOGETHER, RatioLaw, sum_of
from collude.codef.risk.bounds import critical_silos
from collude.codef.risk.search import last_at_most
from collude.codef.risk.sphere_packing import CONDITION, best_test, refuse_unreachable
from collude.codef.risk.values import Guarantee

TAIL = 60.0
"""Nats: mass beyond e^-60 is left out, and made good by `SLACK`."""
SLACK = 1e-12
"""Added to the bound for each answer, up to 1000: more than the rounding of the Fourier transform
and the tails together."""
FURTHEST = 9.5
"""Standard deviations of one answer's noise that the grid covers."""
CLEAR = 8.0
"""Half-distance in standard deviations from which an answer gives the bit away."""


def success_bound_gaussian(
    n: float, sensitivity: float, sigma: float, k: float, max_prior: float | None = None
) -> Guarantee:
    """Return the most that any attacker's success probability can be, for k Gaussian answers.

    For bits whose two values lie `sensitivity` apart, any attributes, any estimator, silos chosen
    as the answers come; as `success_bound` only if sensitivity/sigma is fixed beforehand.

    Args:
        n: persons, 2 or more.
        sensitivity: distance of the two values, above 0.
        sigma: standard deviation of the noise, above 0.
        k: answers, 0 to 2^53.
        max_prior: largest probability of a person before any answer; 1/n by default.

    Returns:
        The bound, too large by at most 1e-9 and by a grid of 2^16 levels, never too small.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    n, k = persons(n), answers(k)
    mu = positive("sensitivity", sensitivity) / positive("sigma", sigma) / 2
    chance = chance_of_best(max_prior, n)
    if k == 0:
        return Guarantee(chance, CONDITION)
    # dP/dQ is at most 2: a noiseless bit at best doubles the attacker's chance.
    doubled = min(1.0, chance * 2.0 ** min(k, 1000))
    if mu > CLEAR or _span(mu, k)[0] > -math.log(chance):
        return Guarantee(doubled, CONDITION)
    law = sum_of(lambda step: _one_answer(mu, step), k, lambda terms: _span(mu, terms))
    best_first = slice(None, None, -1)
    power = best_test(law.mass[best_first], law.ratio[best_first], chance)
    return Guarantee(min(doubled, power + SLACK * min(k, 1000)), CONDITION)


def largest_safe_count_gaussian(
    n: float, sensitivity: float, sigma: float, max_success: float
) -> int:
    """Return the most Gaussian answers after which no attacker succeeds with more than s.

    Arguments as for `success_bound_gaussian`; s from 1/n to below 1.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    n = persons(n)
    refuse_unreachable(n, max_success)
    nats = gaussian_information(positive("sensitivity", sensitivity), positive("sigma", sigma))
    return last_at_most(
        lambda k: success_bound_gaussian(n, sensitivity, sigma, k),
        max_success,
        critical_silos(n, nats) / 4,
        MOST_ANSWERS,
    )


def _span(mu: float, k: int) -> tuple[float, float]:
    """Return what holds k answers' log-ratio but for e^-60 in each tail.

    Lambda has mean I_1 and is 2 mu-Lipschitz in the noise: its sum is within 2 mu sqrt(2 k TAIL)
    of its mean (Gaussian concentration); the grid spreads it a little further.
    """
    mean = k * gaussian_information(2 * mu, 1.0)
    width = 2.1 * mu * math.sqrt(2 * TAIL * k)
    if k <= TOGETHER:  # one grid, with a level at ln 2, which no answer's ratio passes
        return mean - width, min(mean + width, k * math.log(2) + 0.1 * mu)
    return mean - width, mean + width


def _one_answer(mu: float, step: float) -> RatioLaw:
    """Return the law of one answer's log-ratio."""
    highest = _log_ratio(mu, mu + FURTHEST)
    top = math.ceil(highest / step - 1e-9)
    bottom = math.floor(_log_ratio(mu, mu - FURTHEST) / step)
    edges = step * floats(np.arange(bottom, top + 1))
    answer = _answer_at(mu, edges)
    p = _between(answer - mu)
    q = (p + _between(answer + mu)) / 2
    # Split each cell's mass onto its ends so that both P and Q keep their totals.
    up, down = np.exp(-edges[1:]), np.exp(-edges[:-1])
    to_low = np.clip((q - p * up) / (down - up), 0, p)
    mass = np.zeros(len(edges))
    mass[:-1] += to_low
    mass[1:] += p - to_low
    return RatioLaw(bottom, step, mass)


def _log_ratio(mu: float, answer: float) -> float:
    """Return ln dP/dQ at an answer: ln 2 - ln(1 + exp(-2 mu y))."""
    return math.log(2) - float(np.logaddexp(0, -2 * mu * answer))


def _answer_at(mu: float, ratio: Array) -> Array:
    """Return the answer at which ln dP/dQ takes each value; infinite at ln 2 and above."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = 2 * np.exp(-ratio) - 1
        return floats(np.where(inner > 0, -np.log(inner) / (2 * mu), np.inf))


def _between(edges: Array) -> Array:
    """Return the standard normal mass between consecutive edges, from the accurate tail."""
    above, below = upper_tail(edges), upper_tail(-edges)
    return floats(np.where(edges[:-1] > 0, above[:-1] - above[1:], below[1:] - below[:-1]))
