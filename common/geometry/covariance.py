"""Covariances that can be inverted although there are fewer rows than columns."""

import numpy as np

from collude.common.geometry.arrays import FloatArray


def covariance(rows: FloatArray) -> FloatArray:
    """Return the (d, d) sample covariance of (n, d) rows, divided by n."""
    centred = rows - rows.mean(axis=0)
    result: FloatArray = centred.T @ centred / len(rows)
    return result


def ledoit_wolf(rows: FloatArray) -> FloatArray:
    """Return the (d, d) covariance of (n, d) rows, shrunk towards a multiple of I.

    The weight minimises the expected squared error asymptotically; with one row, or rows that
    are all alike, it is 1.

    Source: O. Ledoit and M. Wolf, A well-conditioned estimator for large-dimensional covariance
    matrices, 2004.
    """
    n, d = rows.shape
    centred = rows - rows.mean(axis=0)
    sample = centred.T @ centred / n
    scale = float(np.trace(sample)) / d
    distance = float(np.sum(sample**2)) - d * scale**2
    spread = (float(np.sum(np.sum(centred**2, axis=1) ** 2)) / n - float(np.sum(sample**2))) / n
    weight = min(1.0, spread / distance) if distance > 0.0 else 1.0
    result: FloatArray = (1.0 - weight) * sample + weight * scale * np.eye(d)
    return result
