"""What is left when a trusted shuffler mixes a person's k answers: the number of ones."""

import math
from typing import TypeVar, cast

import numpy as np

from collude.codef.leakage.rr import flip_probability
from collude.codef.numeric.binomial import log_mass, reach
from collude.codef.numeric.checks import Array, answers, epsilon_of_answer, floats, unwrapped
from collude.codef.numeric.entropy import excess

T = TypeVar("T", float, Array)
SERIES_BELOW = 1e-3
EVERY_COUNT_TO = 128
NODES = 6
SPREAD = 9.0
ROUNDING = 1e-12


def shuffled_information(epsilon: T, k: T) -> T:
    """Return I(number of ones; number of noisy ones) of k shuffled answers, in nats.

    The attributes are fair bits. It is I_1 at k = 1 and settles at B = ln cosh(epsilon/2), where
    k answers in order leak k I_1.

    Args:
        epsilon: of each answer, 0 to 700; a float or an array.
        k: answers, 1 or more; a whole number or an array.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    each = np.frompyfunc(_scalar, 2, 1)
    return cast("T", unwrapped(floats(each(floats(epsilon), floats(k)))))


def _scalar(epsilon: float, k: float) -> float:
    e, count = epsilon_of_answer(epsilon), answers(k)
    a = math.tanh(e / 2)
    if count == 0 or e == 0:
        return 0.0
    if a < SERIES_BELOW:
        return _small(a, count)
    if count <= EVERY_COUNT_TO:
        ones = np.arange(count + 1)
        leaks = np.array([_divergence(e, count, int(c)) for c in ones])
        return float(np.exp(log_mass(floats(ones), count, 0.5, 0.5)) @ leaks)
    return _interpolated(e, count)


def _small(a: float, k: int) -> float:
    """Return a^2/2 + c a^4, from the expansion in Krawtchouk polynomials; the error is O(a^6)."""
    second = 0.5 if k > 1 else 0.0
    fourth = second - (k - 1) / k + (3 - 2 / k) ** 2 / 12
    return a * a / 2 + fourth * a**4


def _divergence(epsilon: float, k: int, ones: int) -> float:
    """Return KL(law of noisy ones given `ones` || law of noisy ones)."""
    q = float(flip_probability(np.array(epsilon)))
    kept_low, kept = _masses(ones, 1 - q, q)
    added_low, added = _masses(k - ones, q, 1 - q)
    law = np.convolve(kept, added)
    noisy = kept_low + added_low + np.arange(len(law))
    known = law > 0
    marginal = log_mass(floats(noisy[known]), k, 0.5, 0.5)
    with np.errstate(over="ignore"):
        change = law[known] / np.exp(marginal) - 1
    big = ~(change < 1)  # the marginal may underflow: there use logarithms
    terms = np.exp(marginal) * excess(np.where(big, 0, change))
    logs = np.log(law[known]) - marginal
    direct = law[known] * (logs - 1) + np.exp(marginal)
    # `excess` sums to the divergence over all counts; outside the window the law has no mass.
    outside = max(0.0, 1.0 - float(np.exp(marginal).sum()))
    return float(np.where(big, direct, terms).sum()) + (outside if outside > ROUNDING else 0.0)


def _masses(k: int, p: float, q: float) -> tuple[int, Array]:
    """Return the first count and the masses of Bin(k, p) within 9 standard deviations and more."""
    if k == 0:
        return 0, np.ones(1)
    width = SPREAD * math.sqrt(k * p * q) + 40
    low, high = (max(0, math.floor(k * p - width)), min(k, math.ceil(k * p + width)))
    return low, np.exp(log_mass(floats(np.arange(low, high + 1)), k, p, q))


def _interpolated(epsilon: float, k: int) -> float:
    """Average the divergence over the number of ones, from a few of them.

    It is a smooth even function of the distance from k/2: a polynomial through six values, then
    the exact average of that polynomial.
    """
    sd = math.sqrt(k) / 2
    half = k // 2
    offsets = np.unique(np.round(np.linspace(0, 1, NODES) * 6 * sd).astype(np.int64))
    distance = (half + offsets - k / 2) / sd
    values = np.array([_divergence(epsilon, k, half + int(offset)) for offset in offsets])
    fit = np.polynomial.Polynomial.fit(distance**2, values, len(offsets) - 1)
    low, high = reach(k, 0.5)
    ones = floats(
        np.arange(max(low, half - int(SPREAD * sd)), min(high, half + int(SPREAD * sd)) + 1)
    )
    weights = np.exp(log_mass(ones, k, 0.5, 0.5))
    return float(weights @ fit(((ones - k / 2) / sd) ** 2))
