"""The exact privacy of k Gaussian answers about one person."""

import math

from collude.codef.leakage.calibration import gaussian_epsilon
from collude.codef.numeric.checks import answers, open_fraction, positive


def gaussian_composition(sensitivity: float, sigma: float, k: float, delta: float) -> float:
    """Return the smallest epsilon with which k answers are (epsilon, delta)-private: exact.

    k answers are one answer whose two values lie sqrt(k) sensitivity/sigma standard deviations
    apart.

    Args:
        sensitivity: distance of the two values, above 0.
        sigma: standard deviation of the noise, above 0.
        k: answers.
        delta: in (0, 1).

    Raises:
        ParameterInvalid: an argument is out of range.

    Source: Dong, Roth and Su, Gaussian differential privacy (JRSS B 2022), Corollary 2.13.
    """
    ratio = positive("sensitivity", sensitivity) / positive("sigma", sigma)
    open_fraction("delta", delta)
    count = answers(k)
    return gaussian_epsilon(math.sqrt(count) * ratio, delta) if count else 0.0
