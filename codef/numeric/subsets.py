"""P(the sum over a random subset of numbers is negative): three ways, by how many there are.

Every number is in the subset with probability 1/2. The empty subset does not count as negative.
"""

import math

import numpy as np

from collude.codef.numeric.checks import Array, floats
from collude.codef.numeric.entropy import log_cosh
from collude.codef.numeric.normal import upper_tail

CELLS = 256
STEPS = 60
CENTRAL = 1e-2


def by_halves(y: Array) -> Array:
    """Return the probability for each row of y, (m, k): exact, 2^(k/2) sums a half."""
    k = y.shape[1]
    first = np.sort(_subset_sums(y[:, : k // 2]), axis=1)
    second = _subset_sums(y[:, k // 2 :])
    counts = [
        np.searchsorted(sums, -others).sum() for sums, others in zip(first, second, strict=True)
    ]
    return floats(np.array(counts) / 2.0**k)


def _subset_sums(y: Array) -> Array:
    sums = np.zeros((len(y), 1))
    for column in y.T:
        sums = np.concatenate([sums, sums + column[:, None]], axis=1)
    return sums


def by_table(y: Array) -> Array:
    """Return the probability for each row of y, (m, k), from a table of 256 sums a row.

    Count from the subset of all negative numbers: it is negative by c, and every further change
    adds |y_j|. So it is P(sum of |y_j| over a random subset < c), and the table ends at c.
    """
    size = np.abs(y)
    reach = np.where(y < 0, size, 0).sum(axis=1)
    scale = CELLS / np.where(reach > 0, reach, 1)
    shifts = np.minimum(np.rint(size * scale[:, None]), CELLS + 1).astype(np.int64)
    table = np.zeros((len(y), CELLS + 1))
    table[:, 0] = 1
    cells = np.arange(CELLS + 1)
    for shift in shifts.T:
        source = cells - shift[:, None]
        moved = np.take_along_axis(table, np.maximum(source, 0), axis=1)
        table = (table + np.where(source >= 0, moved, 0)) / 2
    # The last cell straddles c; the subset that sums to c exactly is the empty one.
    below = table[:, :CELLS].sum(axis=1) + (table[:, CELLS] - 2.0 ** -y.shape[1]) / 2
    return floats(np.where(reach > 0, np.maximum(below, 0), 0))


def by_saddlepoint(total: Array, y: Array, weights: Array) -> Array:
    """Return the probability for rows that hold each value y_j `weights_j` times, (m, q) and (q,).

    Lugannani and Rice's formula (Advances in Applied Probability, 1980) for the cumulants
    sum_j weights_j ln((1 + e^(theta y_j))/2); theta = -2 tilt.

    Args:
        total: sum of each row, (m,).
        y: values, (m, q).
        weights: how often each column occurs, (q,).
    """
    tilt = _tilt(total, y, weights)
    inner = tilt[:, None] * y
    cumulant = -tilt * total + (weights * log_cosh(inner)).sum(axis=1)
    curvature = (weights * (y / 2) ** 2 * (1 - np.tanh(inner) ** 2)).sum(axis=1)
    root = -np.sign(tilt) * np.sqrt(np.maximum(-2 * cumulant, 0))
    slope = -2 * tilt * np.sqrt(curvature)
    density = np.exp(-root * root / 2) / math.sqrt(2 * math.pi)
    near = np.abs(root) < CENTRAL
    safe_root, safe_slope = np.where(near, 1, root), np.where(near, 1, slope)
    correction = np.where(near, 0, 1 / safe_root - 1 / safe_slope)
    return floats(np.clip(upper_tail(-root) + density * correction, 0, 1))


def _tilt(total: Array, y: Array, weights: Array) -> Array:
    """Solve sum_j weights_j y_j tanh(tilt y_j) = total, by Newton's method with short steps."""
    tilt = total / (weights * y * y).sum(axis=1)
    for _ in range(STEPS):
        bent = np.tanh(tilt[:, None] * y)
        gap = (weights * y * bent).sum(axis=1) - total
        slope = (weights * y * y * (1 - bent * bent)).sum(axis=1)
        step = np.clip(gap / np.maximum(slope, 1e-300), -1, 1)
        tilt = tilt - step
        if float(np.abs(step).max()) < 1e-12:  # noqa: PLR2004 -- beyond what float64 resolves
            break
    return floats(tilt)
