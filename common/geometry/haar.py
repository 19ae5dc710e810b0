"""Orthogonal matrices: a uniform draw, and the nearest one to a given matrix."""

import numpy as np

from collude.common.geometry.arrays import MATRIX_AXES, FloatArray

_SURE_CONDITION = 1e3
"""Largest eigenvalue ratio of M^T M at which its inverse root is exact to about 1e-13."""


def sign_corrected_q(matrix: FloatArray) -> FloatArray:
    """Return Q of the thin QR factorisation whose R has a positive diagonal.

    That factorisation is unique, so Q of a Gaussian matrix is Haar distributed. LAPACK's own
    signs are not uniform: its 2 x 2 Q always has Q_11 < 0 and determinant -1.

    Args:
        matrix: shape (r, d), r >= d, full column rank.

    Source: F. Mezzadri, How to generate random matrices from the classical compact groups,
    Notices of the AMS 54 (2007), section 5.
    """
    q, upper = np.linalg.qr(matrix)
    return np.ascontiguousarray(q * np.where(np.diagonal(upper) < 0.0, -1.0, 1.0))


def haar_orthogonal(d: int, rng: np.random.Generator) -> FloatArray:
    """Return a (d, d) matrix from the Haar measure on O(d), both determinants alike.

    Raises:
        ValueError: d < 1.
    """
    if d < 1:
        raise ValueError(f"an orthogonal matrix has at least one row, not {d}")
    return sign_corrected_q(rng.standard_normal((d, d)))


def polar_factor(M: FloatArray) -> FloatArray:
    """Return the orthogonal polar factor U V^T of M = U S V^T, shape (d, d).

    It maximises tr(O^T M) over O(d). There is no determinant correction: reflections count.
    For a singular M the factor is not unique, and one of the maximisers is returned.

    A well-conditioned M, as every block of an alignment below heavy noise, needs only the
    eigenvectors of M^T M: two thirds of the price of the SVD that the others pay.

    Raises:
        ValueError: M is not a square matrix of finite numbers.

    Source: P. Schönemann, A generalized solution of the orthogonal Procrustes problem,
    Psychometrika 31 (1966).
    """
    M = np.asarray(M, dtype=np.float64)
    if M.ndim != MATRIX_AXES or M.shape[0] != M.shape[1]:
        raise ValueError(f"a polar factor needs a square matrix, not shape {M.shape}")
    # An SVD of NaN fails late and unclearly, and hung in old versions (numpy#5588).
    if not np.isfinite(M).all():
        raise ValueError("a polar factor needs finite numbers")
    factor = _by_inverse_root(M)
    return _by_svd(M) if factor is None else factor


def _by_inverse_root(M: FloatArray) -> FloatArray | None:
    """Return M (M^T M)^{-1/2}, or None where squaring M would lose digits."""
    largest = np.abs(M).max(initial=0.0)
    if not largest:
        return None
    scaled = M / largest  # squares neither overflow nor all underflow
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    if values[0] * _SURE_CONDITION <= values[-1]:
        return None
    factor: FloatArray = (scaled @ vectors / np.sqrt(values)) @ vectors.T
    return factor


def _by_svd(M: FloatArray) -> FloatArray:
    left, _, right = np.linalg.svd(M)
    factor: FloatArray = left @ right
    return factor
