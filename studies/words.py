"""How claims say their numbers and their verdicts."""

from collections.abc import Iterable, Sequence

import numpy as np

HOLDS, FALSE = "holds", "FALSE"


def verdict(*, holds: bool, otherwise: str = FALSE) -> str:
    """Return `holds`, or what else is true."""
    return HOLDS if holds else otherwise


def listed(values: Iterable[float], digits: int) -> str:
    """Return numbers to so many digits behind the point, with slashes between."""
    return " / ".join(f"{value:.{digits}f}" for value in values)


def straight(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    """Return slope, intercept and R squared of the least-squares line."""
    slope, intercept = np.polyfit(x, y, 1)
    wide, high = np.asarray(x), np.asarray(y)
    left = high - slope * wide - intercept
    spread = high - high.mean()
    return float(slope), float(intercept), float(1 - left @ left / (spread @ spread))
