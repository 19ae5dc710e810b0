"""The public map from raw records to the records that participants work with, and back."""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import DataInvalid

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """x -> x F with orthonormal columns; everybody knows it, the coalition too.

    Attributes:
        basis: F, (D, d) float64, F^T F = I.
    """

    basis: FloatArray

    @property
    def width(self) -> int:
        """d, columns of the records after the map."""
        return int(self.basis.shape[1])

    def encode(self, raw: FloatArray) -> FloatArray:
        """Return (n, d) records of (n, D) raw ones."""
        return raw @ self.basis

    def decode(self, records: FloatArray) -> FloatArray:
        """Return (n, D) raw records, the closest that the map can show."""
        return records @ self.basis.T

    def fingerprint(self) -> str:
        """Return SHA-256 over the basis as little-endian float64, in hexadecimal."""
        little = np.ascontiguousarray(self.basis, dtype="<f8")
        shape = np.asarray(little.shape, dtype="<i8")
        return hashlib.sha256(shape.tobytes() + little.tobytes()).hexdigest()


def svd_map(public: FloatArray, width: int) -> FeatureMap:
    """Return the map onto the leading right singular vectors of public records, not centred.

    Signs are fixed (the entry of largest magnitude is positive), so equal records give equal
    maps on one BLAS kernel.

    Args:
        public: (m, D) raw records of people who take no part.
        width: d, at most min(m, D).

    Raises:
        DataInvalid: there are too few public records for this width.

    Source: noisy anchor alignment, section V-A1 (uncentred truncated SVD).
    """
    if not 1 <= width <= min(public.shape):
        raise DataInvalid(
            "there are too few public records for a feature map of this width",
            field="features.width",
            expected=f"1 to {min(public.shape)}",
            got=width,
        )
    basis = np.linalg.svd(public, full_matrices=False)[2][:width].T
    largest = np.take_along_axis(basis, np.abs(basis).argmax(axis=0)[None, :], axis=0)
    return FeatureMap(np.ascontiguousarray(basis * np.sign(largest)))
