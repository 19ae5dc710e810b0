"""Gaussian answers: the value plus noise of standard deviation sigma."""

import math
from typing import Literal, TypeVar, cast

import numpy as np

from collude.codef.leakage.calibration import analytic_ratio
from collude.codef.numeric.checks import (
    Array,
    non_negative,
    open_fraction,
    positive,
    refuse,
    unwrapped,
)
from collude.codef.numeric.entropy import log_cosh
from collude.codef.numeric.normal import grid

T = TypeVar("T", float, Array)
FULL = 40.0
"""Half-distance in standard deviations at which two values are told apart to the last digit."""


def gaussian_information(sensitivity: T, sigma: T) -> T:
    """Return I_1 in nats of one answer about a bit whose two values lie `sensitivity` apart.

    With mu = sensitivity/(2 sigma): I_1 = ln 2 - E ln(1 + exp(-2 mu (mu + N))), about mu^2/2 for
    small mu and never above (1/2) ln(1 + mu^2).

    Args:
        sensitivity: distance of the two values, 0 or more.
        sigma: standard deviation of the noise, 0 or more, infinity allowed.

    Returns:
        Nats per answer, in [0, ln 2]; 0 if the values do not differ.

    Raises:
        ParameterInvalid: an argument is negative or not a number.

    Source: paper 2, section 9.5, which gives only the limit.
    """
    apart, noise = non_negative("sensitivity", sensitivity), non_negative("sigma", sigma)
    with np.errstate(divide="ignore", invalid="ignore"):
        mu = np.where(apart == 0, 0.0, apart / (2 * noise))
    nodes, weights = grid(12.0, 1201)
    # Both forms keep the difference inside the integral; each is exact, and neither cancels on
    # its side of 1.
    small, large = np.minimum(mu, 1)[..., None], np.clip(mu, 1, FULL)[..., None]
    shift = small * (small + nodes)
    near = (weights * (small * small - log_cosh(shift))).sum(axis=-1)
    far = np.log(2) - (weights * np.logaddexp(0, -2 * large * (large + nodes))).sum(axis=-1)
    return cast("T", unwrapped(np.where(mu < 1, near, far)))


def gaussian_cutoff_rate(sensitivity: T, sigma: T) -> T:
    """Return R_0 = -ln((1 + e^-B)/2) with B = sensitivity^2/(8 sigma^2), nats; as `rr_cutoff_rate`.

    Raises:
        ParameterInvalid: an argument is negative or not a number.
    """
    apart, noise = non_negative("sensitivity", sensitivity), non_negative("sigma", sigma)
    with np.errstate(divide="ignore", invalid="ignore"):
        affinity = np.where(apart == 0, 0.0, (apart / noise) ** 2 / 8)
    return cast("T", unwrapped(-np.log1p(np.expm1(-affinity) / 2)))


def gaussian_sigma(
    epsilon: float,
    delta: float,
    sensitivity: float = 1.0,
    calibration: Literal["classic", "analytic"] = "classic",
) -> float:
    """Return the noise that makes one answer (epsilon, delta)-differentially private.

    Args:
        epsilon: above 0. "classic" is proved only up to 1 and its true delta passes the promised
            one further up (at epsilon 8.4 for delta = 1e-5): prefer "analytic" there.
        delta: in (0, 1).
        sensitivity: above 0; sigma is in its unit.
        calibration: "classic", sensitivity sqrt(2 ln(1.25/delta))/epsilon, or "analytic", the
            smallest sigma that is private at all.

    Raises:
        ParameterInvalid: an argument is out of range.

    Source: paper 2, section 9.5; Balle and Wang, ICML 2018, for "analytic".
    """
    positive("epsilon", epsilon)
    open_fraction("delta", delta)
    positive("sensitivity", sensitivity)
    if calibration == "classic":
        return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    if calibration == "analytic":
        return sensitivity / analytic_ratio(epsilon, delta)
    return refuse("calibration", "classic or analytic", calibration)


def gaussian_vector_information(
    norm: float, sigma: float, dimension: int | None = None, rows: int = 1
) -> float:
    """Return an upper bound, in nats, of what noisy vectors about one person leak.

    Rows of Euclidean norm at most C with noise sigma in every entry: for D = rows * dimension
    entries, (D/2) ln(1 + rows C^2/(D sigma^2)), and rows C^2/(2 sigma^2) for any number of them.

    Args:
        norm: largest norm of a row, 0 or more.
        sigma: standard deviation of every entry's noise, above 0.
        dimension: entries per row, or None for the bound that does not depend on it.
        rows: rows about the same person, 1 or more.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    non_negative("norm", norm)
    positive("sigma", sigma)
    if rows < 1 or (dimension is not None and dimension < 1):
        refuse("rows and dimension", "1 or more", (rows, dimension))
    power = rows * (norm / sigma) ** 2
    if dimension is None:
        return power / 2
    entries = rows * dimension
    return entries / 2 * math.log1p(power / entries)
