"""What an upload must satisfy before any estimator sees it.

One bad upload must not end the work of the others, so each check names the party.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from collude.common.errors import (
    UploadEmpty,
    UploadMisshapen,
    UploadNotFinite,
    UploadNotNumbers,
    UploadOutOfRange,
    UploadRankDeficient,
)
from collude.common.geometry.arrays import MATRIX_AXES, FloatArray

_LARGEST_ENTRY = 1e100
"""Squares and sums of squares of accepted numbers stay finite."""
_SMALLEST_SCALE = 1e-100
"""Squares of accepted numbers do not all underflow to zero."""
_SURE_RANK = 1e-10
"""A Gram matrix with its smallest eigenvalue above this times its trace has full rank for sure."""


@dataclass(frozen=True, repr=False, eq=False)
class CentredAnchor:
    """An accepted anchor upload, split into its mean and the rest.

    Attributes:
        centred: Bbar = H_r B, shape (r, d).
        mean: b = B^T 1 / r, shape (d,).
        energy: ||Bbar||_F^2; d for a noise-free upload.
    """

    centred: FloatArray
    mean: FloatArray
    energy: float


def _matrix(values: FloatArray, what: str, party: str) -> FloatArray:
    array = np.asarray(values)
    if array.ndim != MATRIX_AXES or array.dtype.kind not in "fiu":
        raise UploadNotNumbers(
            f"{what} is not a matrix of real numbers",
            party=party,
            field=what,
            expected="2 axes of real numbers",
            got=f"{array.ndim} axes of {array.dtype}",
        )
    # One memory order: the means, and so the bytes of every result, must not depend on it.
    matrix = np.ascontiguousarray(array, dtype=np.float64)
    _require_ordinary(matrix, what, party)
    return matrix


def _require_ordinary(matrix: FloatArray, what: str, party: str) -> None:
    bad = matrix.size - int(np.count_nonzero(np.isfinite(matrix)))
    if bad:
        raise UploadNotFinite(
            f"{what} holds NaN or infinity (non-finite)",
            party=party,
            field=what,
            expected="finite numbers",
            got=f"{bad} of {matrix.size} numbers",
        )
    if matrix.size and np.abs(matrix).max() > _LARGEST_ENTRY:
        raise UploadOutOfRange(
            f"{what} holds numbers too large to square",
            party=party,
            field=what,
            expected=f"at most {_LARGEST_ENTRY:g}",
            got="a larger magnitude",
        )


def _require_shape(shape: tuple[int, ...], wanted: tuple[int, int] | None, party: str) -> None:
    """Refuse a shape (r, d) with r <= d, or other than agreed.

    Raises:
        UploadMisshapen: it is one of both.
    """
    for axis, name in enumerate(("rows r", "columns d")):
        if wanted is not None and shape[axis] != wanted[axis]:
            raise UploadMisshapen(
                f"the anchor differs from the others in its {name}",
                party=party,
                field="anchor",
                expected=wanted,
                got=shape,
            )
    r, d = shape
    if d < 1 or r <= d:
        raise UploadMisshapen(
            "the anchor has too few rows: r <= d",
            party=party,
            field="anchor",
            expected="r >= d + 1",
            got=shape,
        )


def _require_scale(centred: FloatArray, party: str) -> None:
    if 0.0 < np.abs(centred).max() < _SMALLEST_SCALE:
        raise UploadOutOfRange(
            "anchor holds only numbers too small to square",
            party=party,
            field="anchor",
            expected=f"at least {_SMALLEST_SCALE:g} from the mean",
            got="smaller magnitudes",
        )


def _require_full_rank(centred: FloatArray, mean: FloatArray, party: str) -> None:
    """Refuse a centred anchor whose columns are linearly dependent to working precision.

    Centring leaves rounding errors of the size of eps times the mean: a constant column of 1e13
    is not a direction. A Cholesky factor of the shifted Gram matrix, which exists only if all its
    eigenvalues exceed the shift, settles the honest case at a fortieth of an SVD's price; only a
    doubtful one pays for the exact singular values.

    Raises:
        UploadRankDeficient: they are dependent.
    """
    eps = max(centred.shape) * np.finfo(np.float64).eps
    lost = eps * math.sqrt(len(centred)) * float(np.abs(mean).max())
    gram = centred.T @ centred
    if _exceeds(gram, max(_SURE_RANK * float(np.trace(gram)), lost * lost)):
        return
    singular = np.linalg.svd(centred, compute_uv=False)
    if singular[-1] <= max(eps * singular[0], lost):
        raise UploadRankDeficient(
            "the centred anchor is rank-deficient",
            party=party,
            field="anchor",
            expected=f"rank {centred.shape[1]}",
            got="a smaller rank",
        )


def _exceeds(gram: FloatArray, floor: float) -> bool:
    """Tell whether every eigenvalue of a symmetric matrix is above `floor`."""
    shifted = gram.copy()
    np.fill_diagonal(shifted, shifted.diagonal() - floor)
    try:
        np.linalg.cholesky(shifted)
    except np.linalg.LinAlgError:
        return False
    return True


def accept_anchor(anchor: FloatArray, shape: tuple[int, int] | None, party: str) -> CentredAnchor:
    """Return the centred form of an uploaded anchor B, shape (r, d).

    Args:
        anchor: the upload; any real dtype and memory order.
        shape: the (r, d) agreed on, or None if this upload sets it.
        party: who sent it, for the error.

    Raises:
        UploadRejected: not a finite real matrix, r <= d, another shape, or rank below d; each
            by its own class.
    """
    B = _matrix(anchor, "anchor", party)
    _require_shape(B.shape, shape, party)
    mean = B.mean(axis=0)
    centred = B - mean
    _require_scale(centred, party)
    _require_full_rank(centred, mean, party)
    return CentredAnchor(centred, mean, float(np.vdot(centred, centred)))


def accept_records(records: FloatArray, d: int, party: str) -> FloatArray:
    """Return uploaded records Y, shape (n, d), n >= 1, as float64.

    Raises:
        UploadEmpty: no rows.
        UploadMisshapen: another width than d.
        UploadRejected: not a finite real matrix; each fault by its own class.
    """
    Y = _matrix(records, "records", party)
    if Y.shape[0] == 0:
        raise UploadEmpty(
            "the upload has zero rows",
            party=party,
            field="records",
            expected="at least one row",
            got="none",
        )
    if Y.shape[1] != d:
        raise UploadMisshapen(
            "the records have another width",
            party=party,
            field="records",
            expected=d,
            got=Y.shape[1],
        )
    return Y


def accept_each(
    anchors: Sequence[FloatArray], names: Sequence[str] | None
) -> Iterator[tuple[str, CentredAnchor]]:
    """Yield each party's label and its anchor centred, refusing the first bad one by its label.

    The shape that most anchors have is the right one, so that the odd one is blamed.

    Raises:
        ValueError: no anchor, or another number of names.
        UploadRejected: an anchor is bad.
    """
    labels = list(party_labels(len(anchors), names))
    if not labels:
        raise ValueError("an alignment needs at least one anchor")
    shapes = Counter(np.shape(anchor) for anchor in anchors)
    common = shapes.most_common(1)[0][0]
    shape = (common[0], common[1]) if len(common) == MATRIX_AXES else None
    for anchor, label in zip(anchors, labels, strict=True):
        yield label, accept_anchor(anchor, shape, label)


def accept_anchors(
    anchors: Sequence[FloatArray], names: Sequence[str] | None
) -> list[CentredAnchor]:
    """Return all anchors centred, in memory at once; raises as `accept_each`.

    Raises:
        ValueError: no anchor, or another number of names.
        UploadRejected: an anchor is bad.
    """
    return [accepted for _, accepted in accept_each(anchors, names)]


def party_labels(count: int, names: Sequence[str] | None) -> Iterator[str]:
    """Yield the names, or `#0`, `#1`, ... without names.

    Raises:
        ValueError: another number of names than `count`.
    """
    if names is None:
        yield from (f"#{i}" for i in range(count))
        return
    if len(names) != count:
        raise ValueError(f"{count} anchors came with {len(names)} names")
    yield from names
