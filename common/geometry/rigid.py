"""A participant's secret: a rotation (or reflection) and a translation."""

from dataclasses import dataclass
from typing import Never

import numpy as np

from collude.common.geometry.arrays import MATRIX_AXES, FloatArray
from collude.common.geometry.haar import haar_orthogonal

_ORTHOGONALITY_TOLERANCE = 1e-8


def _frozen(values: FloatArray) -> FloatArray:
    copy = np.array(values, dtype=np.float64, order="C")
    copy.flags.writeable = False
    return copy


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RigidTransform:
    """The map S -> S O + 1 psi^T on rows. Its content is secret: no repr, no pickle.

    Attributes:
        rotation: O, orthogonal, shape (d, d), determinant +1 or -1.
        translation: psi, shape (d,).
    """

    rotation: FloatArray
    translation: FloatArray

    def __post_init__(self) -> None:
        """Keep read-only copies.

        Raises:
            ValueError: the shapes do not fit, a number is not finite, or O^T O is not I.
        """
        rotation, psi = _frozen(self.rotation), _frozen(self.translation)
        if psi.ndim != 1 or psi.size < 1 or rotation.shape != (psi.size, psi.size):
            raise ValueError(f"rotation {rotation.shape} and translation {psi.shape} do not fit")
        if not (np.isfinite(rotation).all() and np.isfinite(psi).all()):
            raise ValueError("a rigid transform needs finite numbers")
        if np.abs(rotation.T @ rotation - np.eye(psi.size)).max() > _ORTHOGONALITY_TOLERANCE:
            raise ValueError("the rotation of a rigid transform is not orthogonal")
        object.__setattr__(self, "rotation", rotation)
        object.__setattr__(self, "translation", psi)

    @property
    def dimension(self) -> int:
        """The width d."""
        return self.translation.size

    def apply(self, S: FloatArray) -> FloatArray:
        """Return S O + 1 psi^T, shape (n, d), for S of shape (n, d)."""
        return self._rows(S) @ self.rotation + self.translation

    def invert(self, Y: FloatArray) -> FloatArray:
        """Return (Y - 1 psi^T) O^T, shape (n, d): the inverse of `apply`."""
        return (self._rows(Y) - self.translation) @ self.rotation.T

    def _rows(self, values: FloatArray) -> FloatArray:
        rows = np.asarray(values, dtype=np.float64)
        if rows.ndim != MATRIX_AXES or rows.shape[1] != self.dimension:
            raise ValueError(f"rows of width {self.dimension} are needed, not shape {rows.shape}")
        return rows

    def __repr__(self) -> str:
        """Return a text without the content."""
        return f"RigidTransform(dimension={self.dimension})"

    def __reduce__(self) -> Never:
        """Refuse to be pickled or copied.

        Raises:
            TypeError: always.
        """
        raise TypeError("a RigidTransform is secret and is not pickled")


def random_rigid_transform(
    d: int, rng: np.random.Generator, *, translation_scale: float = 1.0
) -> RigidTransform:
    """Return O from the Haar measure on O(d) and psi with iid N(0, translation_scale^2) entries.

    Any scale serves: psi cancels exactly in every alignment and every attack.
    """
    rotation = haar_orthogonal(d, rng)
    return RigidTransform(rotation, translation_scale * rng.standard_normal(d))
