"""Exact sampling: no floating point between fair bits and an answer.

Floating-point noise gives the value away through its low bits, and a float probability is not the
one that was promised. Here every probability is that of the formula, to the last digit. Running
times depend on what is drawn: answers are sent by the batch, whose time tells little of one.

Source: C. Canonne, G. Kamath and T. Steinke, The discrete Gaussian for differential privacy,
NeurIPS 2020, algorithms 1 to 3.
"""

from fractions import Fraction

from collude.codef.numeric.checks import refuse
from collude.codef.release.bits import Bits, below


def bernoulli(bits: Bits, numerator: int, denominator: int) -> bool:
    """Return True with probability numerator/denominator, from 0 to 1."""
    return below(bits, denominator) < numerator


def bernoulli_exp(bits: Bits, numerator: int, denominator: int) -> bool:
    """Return True with probability exp(-numerator/denominator), for 0 or more.

    exp(-x) = exp(-1)^floor(x) exp(-(x - floor(x))).
    """
    whole, rest = divmod(numerator, denominator)
    return all(_exp_fraction(bits, 1, 1) for _ in range(whole)) and _exp_fraction(
        bits, rest, denominator
    )


def _exp_fraction(bits: Bits, numerator: int, denominator: int) -> bool:
    """Return True with probability exp(-x), x from 0 to 1.

    The first failure of trials with probabilities x, x/2, x/3, ... is the k-th with probability
    x^(k-1)/(k-1)! - x^k/k!, and the sum over odd k is the series of exp(-x).
    """
    k = 1
    while bernoulli(bits, numerator, denominator * k):
        k += 1
    return k % 2 == 1


def flipped(bits: Bits, epsilon: Fraction) -> bool:
    """Return True with probability 1/(1 + e^epsilon), for epsilon of 0 or more.

    Keep has weight 1 and flip has weight exp(-epsilon): propose one by a fair coin, and accept a
    flip with its weight.
    """
    while bits.bits(1):
        if bernoulli_exp(bits, epsilon.numerator, epsilon.denominator):
            return True
    return False


def discrete_laplace(bits: Bits, scale: int) -> int:
    """Return z with probability in proportion to exp(-|z|/scale), scale whole and 1 or more."""
    while True:
        rest = below(bits, scale)
        if not bernoulli_exp(bits, rest, scale):
            continue
        size = rest
        while bernoulli_exp(bits, 1, 1):
            size += scale
        negative = bits.bits(1)
        if size or not negative:  # 0 has one sign
            return -size if negative else size


def discrete_gaussian(bits: Bits, sigma: int) -> int:
    """Return z with probability in proportion to exp(-z^2/(2 sigma^2)), for a whole sigma.

    Its variance is sigma^2, but for less than any digit shown if sigma is 3 or more.

    Raises:
        ParameterInvalid: sigma is below 1.
    """
    if sigma < 1:
        refuse("sigma", "a whole number of steps, 1 or more", sigma)
    scale, variance = sigma + 1, sigma * sigma
    while True:
        z = discrete_laplace(bits, scale)
        # exp(-(|z| - variance/scale)^2 / (2 variance))
        off = abs(z) * scale - variance
        if bernoulli_exp(bits, off * off, 2 * variance * scale * scale):
            return z
