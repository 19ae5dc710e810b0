"""What a coalition believes of a target's records before it looks at the upload."""

from dataclasses import dataclass

import numpy as np

from collude.attacker.view import CollusionView
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.covariance import ledoit_wolf

ENOUGH_ROWS = 5
"""A colluder's own covariance is used from this many rows a column on, else the public one."""


@dataclass(frozen=True, eq=False, repr=False)
class Prior:
    """Mean and covariance, in the eigenbasis of the covariance.

    Attributes:
        mean: mu, shape (d,).
        basis: Q, shape (d, d), eigenvectors as columns.
        variances: lambda > 0, shape (d,), falling.
        origin: whose records these are, in words.
    """

    mean: FloatArray
    basis: FloatArray
    variances: FloatArray
    origin: str


def prior_of(view: CollusionView) -> Prior | None:
    """Return the coalition's prior, or None if it holds no records at all.

    The mean is that of the colluders' records, else of public ones. The covariance is that of
    the colluders' records if these are at least 5 d rows or there are no public ones, with
    shrinkage.
    """
    own = [d.records for d in view.disclosures.values() if d.records is not None]
    public = view.public.records
    mine = np.concatenate(own) if own else None
    if mine is None and public is None:
        return None
    enough = mine is not None and (public is None or len(mine) >= ENOUGH_ROWS * mine.shape[1])
    covariance_rows = mine if enough else public
    mean_rows = mine if mine is not None else public
    if covariance_rows is None or mean_rows is None:
        return None
    origin = "colluders' records" if enough else "public records"
    return prior_from(mean_rows.mean(axis=0), covariance_rows, origin)


def prior_from(mean: FloatArray, rows: FloatArray, origin: str) -> Prior:
    """Return the prior with this mean and the shrunk covariance of (n, d) rows."""
    variances, basis = np.linalg.eigh(ledoit_wolf(rows))
    floor = np.finfo(np.float64).eps * max(float(variances[-1]), np.finfo(np.float64).tiny)
    return Prior(mean, basis[:, ::-1], np.maximum(variances[::-1], floor), origin)
