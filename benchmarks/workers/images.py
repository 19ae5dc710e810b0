"""Images of two classes that a network can tell apart, made up."""

from typing import Any

import numpy as np

WIDTH = 400
VALIDATION = 0.15


def images(rows: int) -> tuple[Any, Any]:
    """Return (rows, 400) float64 and (rows,) int64 of 0 and 1, half of each."""
    rng = np.random.default_rng(0)
    labels = np.arange(rows) % 2
    pattern = rng.standard_normal(WIDTH)
    return 0.2 * np.outer(2 * labels - 1, pattern) + rng.standard_normal((rows, WIDTH)), labels
