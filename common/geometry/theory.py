"""What theory predicts of alignment and of the Procrustes attack, for large d.

Everything depends on s = v sqrt(d) only, where v is the entrywise standard deviation of the
noise on an anchor with A^T A = I.
"""

import math

_DIRECT_UP_TO = 1e3


def phi(s: float) -> float:
    """Return E tr(O^T O_hat) / d for O_hat = polar(O + v G), s = v sqrt(d), as d -> infinity.

    1 - s^2/4 for s <= 1. Above, with a = arcsin(1/s),
    (2/pi) [a - (s^2/2) (a/2 - sin(2a)/2 + sin(4a)/8)]. It tends to 8/(3 pi s).

    Args:
        s: at least 0.

    Raises:
        ValueError: s is negative or not finite.

    Source: derived for this project by free probability from
    polar(M) = (2/pi) int_0^inf M (M^T M + eta^2)^-1 d eta; the tests integrate that again.
    """
    if not (math.isfinite(s) and s >= 0.0):
        raise ValueError(f"s = v sqrt(d) must be a finite number of at least 0, not {s}")
    if s <= 1.0:
        return 1.0 - s * s / 4.0
    if s > _DIRECT_UP_TO:  # the direct form cancels: terms of order 1/s leave one of order 1/s^3
        return 8.0 / (3.0 * math.pi * s) * (1.0 - 0.1 / (s * s))
    a = math.asin(1.0 / s)
    bracket = a / 2.0 - math.sin(2.0 * a) / 2.0 + math.sin(4.0 * a) / 8.0
    return 2.0 / math.pi * (a - s * s / 2.0 * bracket)


def procrustes_rotation_error(s: float) -> float:
    """Return the limit of ||O_hat - O||_F^2 / d of the Procrustes attack, 2 (1 - phi(s)) in [0, 2].

    It is s^2/2 up to s = 1. It is also the mean relative squared error of a reconstruction.
    """
    return 2.0 * (1.0 - phi(s))


def limit_pair_error(s: float) -> float:
    """Return the limit of the pair error of spectral alignment at r = d + 1, 2 (1 - phi(s)^2).

    It is the limit for many participants; at two, the error at s = 1 is .91 instead of .875.
    For r > d + 1 the error is larger, as the analyst must first find the span of A.
    """
    return 2.0 * (1.0 - phi(s) ** 2)
