"""The anchor: rows that every participant transforms and only participants know."""

import numpy as np

from collude.common.errors import AnchorInvalid
from collude.common.geometry.arrays import MATRIX_AXES, FloatArray
from collude.common.geometry.haar import sign_corrected_q

ANCHOR_TOLERANCE = 1e-10
"""Largest allowed entry of |A^T A - I| and of |1^T A|."""


def anchor_from_gaussian(G: FloatArray) -> FloatArray:
    """Return the centred orthonormal anchor of a Gaussian (r, d) matrix, r >= d + 1.

    A = Q of the sign-corrected thin QR of H_r G, so A^T A = I and 1^T A = 0, and the column
    span is uniform among the d-dimensional subspaces orthogonal to 1.

    Source: noisy anchor alignment, section IV-A (the two conditions).
    """
    return sign_corrected_q(G - G.mean(axis=0))


def centered_orthonormal_anchor(r: int, d: int, rng: np.random.Generator) -> FloatArray:
    """Return a random anchor A, shape (r, d), with A^T A = I and 1^T A = 0.

    Raises:
        ValueError: d < 1 or r < d + 1; centring takes one dimension away.
    """
    require_anchor_shape(r, d)
    return anchor_from_gaussian(rng.standard_normal((r, d)))


def require_anchor_shape(r: int, d: int) -> None:
    """Accept the number of anchor rows r for width d.

    Raises:
        ValueError: d < 1 or r < d + 1.
    """
    if d < 1 or r < d + 1:
        raise ValueError(f"an anchor of width d = {d} >= 1 needs r >= d + 1 rows, not {r}")


def check_anchor_shape(A: FloatArray) -> FloatArray:
    """Return A as float64 if it is an (r, d) matrix of finite numbers with r >= d + 1.

    Raises:
        AnchorInvalid: it is not.
    """
    A = np.asarray(A)
    if A.ndim != MATRIX_AXES or A.dtype.kind not in "fiu":
        raise AnchorInvalid("the anchor is not a matrix of real numbers", field="anchor")
    r, d = A.shape
    if d < 1 or r < d + 1:
        raise AnchorInvalid(
            "the anchor has too few rows", field="anchor", expected="r >= d + 1", got=(r, d)
        )
    if not np.isfinite(A).all():
        raise AnchorInvalid("the anchor holds NaN or infinity", field="anchor")
    return A.astype(np.float64, copy=False)


def check_anchor(A: FloatArray) -> FloatArray:
    """Return A, shape (r, d), if A^T A = I and 1^T A = 0 hold to 1e-10.

    Every participant checks for itself: an anchor inflated by c divides the protection of the
    noise by c. No entry of A enters the error.

    Raises:
        AnchorInvalid: a condition fails, r < d + 1, or a number is not finite.
    """
    A = check_anchor_shape(A)
    off_identity = float(np.abs(A.T @ A - np.eye(A.shape[1])).max())
    off_centre = float(np.abs(A.sum(axis=0)).max())
    for what, deviation in (("A^T A = I", off_identity), ("1^T A = 0", off_centre)):
        # Not "deviation > tolerance": an overflow to NaN must fail too.
        if not deviation <= ANCHOR_TOLERANCE:
            raise AnchorInvalid(
                f"the anchor does not satisfy {what}",
                field="anchor",
                expected=f"a deviation of at most {ANCHOR_TOLERANCE:g}",
                got=f"{deviation:.3g}",
                hint="end the session: another party may have altered the anchor",
            )
    return A
