"""Linear discriminant analysis with a shrunk within-person scatter."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collude.common.geometry.arrays import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Scatter:
    """Labelled rows, summed up.

    Attributes:
        mean: (d,) over all rows.
        centres: (k, d) of the people, from `mean`.
        within: (d,) eigenvalues of the scatter about the people's centres, at least 0.
        basis: (d, d) its eigenvectors, as columns.
    """

    mean: FloatArray
    centres: FloatArray
    within: FloatArray
    basis: FloatArray

    @classmethod
    def of(cls, rows: FloatArray, identities: NDArray[np.int64]) -> "Scatter":
        """Return the scatter of (n, d) rows of k >= 2 people."""
        _, person = np.unique(identities, return_inverse=True)
        mean = rows.mean(axis=0)
        centred = rows - mean
        sums = np.zeros((int(person.max()) + 1, rows.shape[1]))
        np.add.at(sums, person, centred)
        centres = sums / np.bincount(person)[:, None]
        rest = centred - centres[person]
        within, basis = np.linalg.eigh(rest.T @ rest / len(rows))
        return cls(mean, centres, np.maximum(within, 0.0), basis)

    def discriminants(self, shrinkage: float, dimensions: int) -> FloatArray:
        """Return (d, dimensions): the directions in which people differ most, best first.

        The within-person scatter W is shrunk to (1 - g) W + g tr(W)/d I and whitened; of the
        centres seen that way the leading right singular vectors are taken.

        Args:
            shrinkage: g, above 0 and at most 1; at 1 all directions weigh the same.
            dimensions: 1 to min(d, k - 1).

        Source: R. A. Fisher, The use of multiple measurements in taxonomic problems, Annals of
        Eugenics 7 (1936); shrinkage as J. Friedman, Regularized discriminant analysis, Journal
        of the American Statistical Association 84 (1989), eq. (18).
        """
        # People with one picture each have no scatter: then all directions weigh the same.
        level = float(self.within.mean()) or 1.0
        shrunk = (1.0 - shrinkage) * self.within + shrinkage * level
        whitening = self.basis / np.sqrt(shrunk)
        directions = np.linalg.svd(self.centres @ whitening, full_matrices=False)[2]
        axes: FloatArray = whitening @ directions[:dimensions].T
        return axes
