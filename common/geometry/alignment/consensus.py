"""What an alignment agrees on, and the map onto it for an upload that had no part in it."""

from collections.abc import Sequence

import numpy as np

from collude.common.geometry.alignment.result import Alignment
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.haar import polar_factor


def consensus(alignment: Alignment, anchors: Sequence[FloatArray]) -> FloatArray:
    """Return the mean of the aligned anchors, C = (1/p) sum_i Bbar_i R_i + 1 offset^T, (r, d).

    Args:
        alignment: of these anchors, in this order.
        anchors: B_i, shape (r, d).
    """
    total = np.zeros(np.shape(anchors[0]))
    for i, anchor in enumerate(anchors):
        total += alignment.transform(i, anchor)
    return total / len(anchors)


def rotation_onto(consensus: FloatArray, anchor: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return R = polar(Bbar^T C), shape (d, d), and b, shape (d,), of an upload left out before.

    R minimises ||Bbar R - C||_F over O(d), whatever the norm of Bbar; the offset of C drops out.
    Of an upload that has nothing to do with C it is some orthogonal matrix, and of no use.
    """
    B = np.asarray(anchor, dtype=np.float64)
    mean = B.mean(axis=0)
    centred = B - mean
    return polar_factor(centred.T @ consensus / np.abs(centred).max()), mean
