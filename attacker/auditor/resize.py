"""Bilinear resizing of pictures."""

import numpy as np

from collude.common.geometry.arrays import FloatArray


def resized(pictures: FloatArray, size: tuple[int, int]) -> FloatArray:
    """Return (n, *size) of (n, height, width) pictures, bilinear between pixel centres.

    Beyond the outermost centres the border goes on. It enlarges well; made smaller by more than
    half, pixels in between are left out.
    """
    rows, columns = (_weights(old, new) for old, new in zip(pictures.shape[1:], size, strict=True))
    made: FloatArray = rows @ pictures @ columns.T
    return made


def _weights(old: int, new: int) -> FloatArray:
    """Return (new, old): how much of each old pixel is in each new one; rows sum to 1."""
    centre = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0.0, old - 1.0)
    left = np.minimum(np.floor(centre).astype(np.intp), max(old - 2, 0))
    weights = np.zeros((new, old))
    place = np.arange(new)
    weights[place, left] += 1.0 - (centre - left)
    weights[place, np.minimum(left + 1, old - 1)] += centre - left
    return weights
