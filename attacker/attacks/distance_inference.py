"""Are these records in an upload? Distances between its rows are the records' own.

Y = X O + 1 psi^T without noise keeps every distance, so k known records of a target appear in Y
as k rows with the same distances. The test looks for such rows, record by record. No colluder
and no anchor is needed: the analyst alone can do it. Continuous records are located by two or
three; quantised ones (digits) repeat distances and need more. Private noise sigma widens every
distance and defeats it.

Source: derived for this project; known-sample attacks on distance-preserving maps (Liu,
Giannella and Kargupta, 2006) start the same way.
"""

import numpy as np

from collude.attacker.attacks.material import require, upload_of
from collude.attacker.view import CollusionView
from collude.common.errors import AttackImpossible
from collude.common.geometry.arrays import FloatArray

MIN_RECORDS = 2
TOLERANCE = 1e-6
"""Relative to the largest distance among the records: far above float64, far below noise."""


class DistanceInference:
    """A membership test by congruence of k records."""

    name = "distance-inference"
    title = "Distance inference"
    source = "this project: k-record congruence"

    def missing(self, view: CollusionView) -> tuple[str, ...]:
        """Return what the view lacks, in words."""
        return () if view.uploads else ("an upload",)

    def test(self, view: CollusionView, target: str, records: FloatArray) -> float:
        """Return the share of the records that the upload contains as congruent rows, 0 to 1.

        1 says that rows with exactly these distances are there; 0 that not even two are.

        Args:
            view: the uploads are used, nothing else.
            target: whose upload.
            records: (k, d), k >= 2.

        Raises:
            AttackImpossible: fewer than two records, another width, or no upload.
        """
        require(self.missing(view), self.name)
        Y = upload_of(view, target).private
        known = np.asarray(records, dtype=np.float64)
        if known.ndim != Y.ndim or len(known) < MIN_RECORDS or known.shape[1] != Y.shape[1]:
            raise AttackImpossible(
                "the test needs records of the upload's width",
                field="records",
                expected=f"({MIN_RECORDS} or more, {Y.shape[1]})",
                got=known.shape,
            )
        return congruent(distances(known), distances(Y)) / len(known)


def distances(rows: FloatArray) -> FloatArray:
    """Return the (n, n) distances between rows."""
    energy = np.sum(rows**2, axis=1)
    squared = energy[:, None] + energy[None, :] - 2.0 * rows @ rows.T
    result: FloatArray = np.sqrt(np.maximum(squared, 0.0))
    return result


def congruent(known: FloatArray, seen: FloatArray) -> int:
    """Return how many of the first known records appear as rows with the same distances; not 1."""
    tolerance = TOLERANCE * float(known.max())
    pairs = np.argwhere(np.abs(seen - known[0, 1]) <= tolerance)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    best = 0
    for first, second in pairs:
        best = max(best, _extended(known, seen, [int(first), int(second)], tolerance))
        if best == len(known):
            break
    return best


def _extended(known: FloatArray, seen: FloatArray, rows: list[int], tolerance: float) -> int:
    """Return how many records are matched, starting with these rows for the first two."""
    while len(rows) < len(known):
        wanted = known[len(rows), : len(rows)]
        fits = np.flatnonzero((np.abs(seen[:, rows] - wanted) <= tolerance).all(axis=1))
        new = np.setdiff1d(fits, rows)
        if not len(new):
            break
        rows.append(int(new[0]))
    return len(rows)
