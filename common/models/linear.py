"""Multinomial logistic regression as plain arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from collude.common.models.checks import (
    Described,
    FloatArray,
    IntArray,
    checked_arrays,
    checked_classes,
    checked_rows,
    checked_width,
)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A linear classifier over d columns and k classes.

    Attributes:
        weights: (d, k) float64.
        bias: (k,) float64.
        classes: (k,) int64, increasing; k = 1 always answers that class.
    """

    kind: ClassVar[str] = "linear"

    weights: FloatArray
    bias: FloatArray
    classes: IntArray

    @property
    def width(self) -> int:
        """d, columns of the records."""
        return len(self.weights)

    def scores(self, rows: FloatArray) -> FloatArray:
        """Return (n, k) scores, logarithms of probabilities up to a constant in each row.

        Args:
            rows: (n, d).

        Raises:
            DataInvalid: the rows have another width.
        """
        return checked_rows(rows, self.width) @ self.weights + self.bias

    def predict(self, rows: FloatArray) -> IntArray:
        """Return (n,) labels: the class of the highest score, the smaller one on a tie.

        Args:
            rows: (n, d).

        Raises:
            DataInvalid: the rows have another width.
        """
        labels: IntArray = self.classes[self.scores(rows).argmax(axis=1)]
        return labels

    def architecture(self) -> dict[str, object]:
        """Return what JSON must say beside the arrays to rebuild the model."""
        return {"kind": self.kind, "width": self.width, "classes": self.classes.tolist()}

    def arrays(self) -> dict[str, FloatArray]:
        """Return the trained numbers by name."""
        return {"weights": self.weights, "bias": self.bias}

    @classmethod
    def rebuild(cls, architecture: Mapping[str, object], arrays: Described) -> Self:
        """Return the model that `architecture()` and `arrays()` describe; shapes are checked.

        Raises:
            ModelInvalid: a part is missing, or has another shape than it must.
        """
        width, classes = checked_width(architecture), checked_classes(architecture)
        shapes = {"weights": (width, len(classes)), "bias": (len(classes),)}
        return cls(**checked_arrays(arrays, shapes), classes=classes)
