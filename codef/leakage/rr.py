"""Randomized response: a bit is flipped with probability q = 1/(1 + e^epsilon).

Notation: t = epsilon/2, p = 1 - q, p - q = tanh t. Every function takes a float or an array of
epsilon >= 0 (infinity allowed) and returns the same shape.
"""

from typing import TypeVar, cast

import numpy as np

from collude.codef.numeric.checks import Array, floats, fraction, non_negative, unwrapped
from collude.codef.numeric.entropy import excess, log_cosh

T = TypeVar("T", float, Array)


def flip_probability(epsilon: Array) -> Array:
    """Return q = 1/(1 + e^epsilon), without overflow."""
    small = np.exp(-epsilon)
    return floats(small / (1 + small))


def rr_information(epsilon: T, coverage: float = 1.0, bias: float = 0.5) -> T:
    """Return I_1, the information of one answer about a person, in nats: epsilon^2/8 for small.

    With the default bias it is the capacity of the channel, ln 2 - H_b(q) = t tanh t - ln cosh t:
    no attribute leaks more, so it is what budgets charge.

    Args:
        epsilon: 0 or more.
        coverage: share of answers that concern the person, in [0, 1]; multiplies.
        bias: probability that the attribute is 1, in [0, 1].

    Returns:
        Nats per answer, in [0, ln 2].

    Raises:
        ParameterInvalid: an argument is out of range.

    Source: paper 2, Lemma 6.1; coverage and bias as in its missing appendix F.2, derived anew:
    coverage * [H_b(bias p + (1 - bias) q) - H_b(q)].
    """
    e = non_negative("epsilon", epsilon)
    covered, mu = fraction("coverage", coverage), fraction("bias", bias)
    found = np.where(mu == 0.5, _even(e), _biased(e, mu))  # noqa: PLR2004 -- a fair bit
    return cast("T", unwrapped(covered * found))


def _even(epsilon: Array) -> Array:
    t = epsilon / 2
    # ln 2 - 2t/(e^2t + 1) - ln(1 + e^-2t), for large t
    tail = np.exp(-np.minimum(epsilon, 1e4))
    far = np.log(2) - np.minimum(epsilon, 1e4) * tail / (1 + tail) - np.log1p(tail)
    close = np.minimum(t, 1)
    near = close * np.tanh(close) - log_cosh(close)
    return floats(np.where(t < 1, near, far))


def _biased(epsilon: Array, mu: Array) -> Array:
    """Return mu KL(P_1 || M) + (1 - mu) KL(P_0 || M), M the mixture: no cancellation."""
    a, q = np.tanh(epsilon / 2), flip_probability(epsilon)
    one = mu * (1 - q) + (1 - mu) * q
    zero = mu * q + (1 - mu) * (1 - q)
    # Where a mass is 0 (bias 0 or 1 and no flips) its own term is 0 too.
    safe_one, safe_zero = np.where(one > 0, one, 1), np.where(zero > 0, zero, 1)
    up = one * excess((1 - mu) * a / safe_one) + zero * excess(-(1 - mu) * a / safe_zero)
    down = one * excess(-mu * a / safe_one) + zero * excess(mu * a / safe_zero)
    return floats(mu * up + (1 - mu) * down)


def rr_bhattacharyya(epsilon: T) -> T:
    """Return B = ln cosh t = -ln(2 sqrt(pq)), nats; epsilon^2/8 for small epsilon.

    Raises:
        ParameterInvalid: epsilon is negative or not a number.
    """
    e = non_negative("epsilon", epsilon)
    return cast("T", unwrapped(log_cosh(e / 2)))


def rr_divergence(epsilon: T) -> T:
    """Return C_min = KL(P_0 || P_1) = epsilon tanh t, nats; epsilon^2/2 for small epsilon.

    Raises:
        ParameterInvalid: epsilon is negative or not a number.
    """
    e = non_negative("epsilon", epsilon)
    return cast("T", unwrapped(e * np.tanh(e / 2)))


def rr_cutoff_rate(epsilon: T, bias: float = 0.5) -> T:
    """Return C_ML = -ln((1 + e^-B)/2), nats: the channel's cutoff rate R_0, about epsilon^2/16.

    With a bias: -ln(1 - 2 bias (1 - bias)(1 - e^-B)).

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    e, mu = non_negative("epsilon", epsilon), fraction("bias", bias)
    apart = -np.expm1(-log_cosh(e / 2))
    return cast("T", unwrapped(-np.log1p(-2 * mu * (1 - mu) * apart)))


def rr_dispersion(epsilon: T) -> T:
    """Return V = p q epsilon^2, the variance of one answer's information, nats squared.

    Raises:
        ParameterInvalid: epsilon is negative or not a number.
    """
    e = np.minimum(non_negative("epsilon", epsilon), 1e4)  # 0 at infinity
    q = flip_probability(e)
    return cast("T", unwrapped((1 - q) * q * e * e))


def rr_presence_epsilon(epsilon: T) -> T:
    """Return ln((1 + e^epsilon)/2): the privacy of being in a silo at all.

    It holds if the silo answers with a fair coin about a person it does not know. A silo that
    answers only about persons it knows tells everybody whom it knows.

    Raises:
        ParameterInvalid: epsilon is negative or not a number.
    """
    e = non_negative("epsilon", epsilon)
    return cast("T", unwrapped(e / 2 + log_cosh(e / 2)))
