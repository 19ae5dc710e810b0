"""Errors of an alignment that do not depend on its gauge."""

from collections.abc import Sequence

import numpy as np

from collude.common.geometry.arrays import FloatArray


def rotation_error(estimate: FloatArray, truth: FloatArray) -> float:
    """Return ||O_hat - O||_F^2 / d for two (d, d) matrices: 0 to 4, mean 2 for a random guess."""
    return float(np.sum((estimate - truth) ** 2)) / len(truth)


def pair_error(secrets: Sequence[FloatArray], alignments: Sequence[FloatArray]) -> float:
    """Return the mean over ordered pairs i != j of ||O_i R_i - O_j R_j||_F^2 / d.

    A common gauge (R_i -> R_i Q) cancels. 0 is perfect, 2 is the mean of random maps, 4 the most.

    Args:
        secrets: O_i, at least two, shape (d, d).
        alignments: R_i in the same order, shape (d, d).

    Raises:
        ValueError: fewer than two participants, or lengths that differ.
    """
    p = len(secrets)
    if p <= 1 or len(alignments) != p:
        raise ValueError(
            f"a pair error needs two equally long lists, not {p} and {len(alignments)}"
        )
    d = len(secrets[0])
    total, squares = np.zeros((d, d)), 0.0
    for O_i, R_i in zip(secrets, alignments, strict=True):
        T = O_i @ R_i
        total += T
        squares += float(np.sum(T * T))
    # sum over i, j of ||T_i - T_j||^2 = 2 p sum ||T_i||^2 - 2 ||sum T_i||^2
    spread = 2.0 * p * squares - 2.0 * float(np.sum(total * total))
    return max(0.0, spread) / (p * (p - 1) * d)
