"""Multinomial logistic regression as plain arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import DataInvalid, ModelInvalid

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


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

    def scores(self, rows: FloatArray) -> FloatArray:
        """Return (n, k) scores, logarithms of probabilities up to a constant in each row.

        Args:
            rows: (n, d).

        Raises:
            DataInvalid: the rows have another width.
        """
        if rows.ndim != 2 or rows.shape[1] != len(self.weights):  # noqa: PLR2004 -- a table has two axes
            raise DataInvalid(
                "the model was trained on records of another width",
                field="records",
                expected=f"{len(self.weights)} columns",
                got=rows.shape,
            )
        return rows @ self.weights + self.bias

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
        return {"kind": self.kind, "width": len(self.weights), "classes": self.classes.tolist()}

    def arrays(self) -> dict[str, FloatArray]:
        """Return the trained numbers by name."""
        return {"weights": self.weights, "bias": self.bias}

    @classmethod
    def rebuild(
        cls, architecture: Mapping[str, object], arrays: Mapping[str, NDArray[np.generic]]
    ) -> Self:
        """Return the model that `architecture()` and `arrays()` describe; shapes are checked.

        Raises:
            ModelInvalid: a part is missing, or has another shape than it must.
        """
        width, classes = _checked_sizes(architecture)
        if set(arrays) != {"weights", "bias"}:
            raise ModelInvalid(
                "the model has other arrays than it must",
                field="arrays",
                expected="weights, bias",
                got=", ".join(sorted(arrays)),
            )
        return cls(
            weights=_checked("weights", arrays["weights"], (width, len(classes))),
            bias=_checked("bias", arrays["bias"], (len(classes),)),
            classes=classes,
        )


def _checked_sizes(architecture: Mapping[str, object]) -> tuple[int, IntArray]:
    width, classes = architecture.get("width"), architecture.get("classes")
    if type(width) is not int or width < 1:
        raise ModelInvalid(
            "the model has no usable width", field="width", expected="an integer >= 1"
        )
    if not isinstance(classes, list) or not classes or any(type(c) is not int for c in classes):
        raise ModelInvalid(
            "the model has no usable classes", field="classes", expected="a list of integers"
        )
    try:
        labels = np.array(classes, dtype=np.int64)
    except OverflowError:
        raise ModelInvalid(
            "a class does not fit 64 bits", field="classes", expected="64-bit integers"
        ) from None
    if (labels[1:] <= labels[:-1]).any():
        raise ModelInvalid("the classes are not in order", field="classes", expected="increasing")
    return width, labels


def _checked(name: str, array: NDArray[np.generic], shape: tuple[int, ...]) -> FloatArray:
    if array.dtype != np.float64 or array.shape != shape:
        raise ModelInvalid(
            "an array of the model has another shape or type",
            field=name,
            expected=f"float64 {shape}",
            got=f"{array.dtype} {array.shape}",
        )
    numbers: FloatArray = array.astype(np.float64)
    if not np.isfinite(numbers).all():
        raise ModelInvalid(
            "an array of the model contains a value that is no number",
            field=name,
            expected="finite values",
        )
    return numbers
