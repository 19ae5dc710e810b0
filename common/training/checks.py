"""What a trainer asks of rows and labels before it starts."""

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import DataInvalid

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def require_labelled(rows: FloatArray, labels: IntArray) -> None:
    """Return if there is at least one row, and one label for each.

    Raises:
        DataInvalid: there is not.
    """
    if not len(rows) or len(rows) != len(labels):
        raise DataInvalid(
            "a model needs rows, and one label for each",
            field="labels",
            expected=f"{max(len(rows), 1)} labels",
            got=len(labels),
        )


def require_width(rows: FloatArray, width: int) -> None:
    """Return if the rows are a table of this width.

    Raises:
        DataInvalid: they are not.
    """
    if rows.shape != (len(rows), width):
        raise DataInvalid(
            "this model is for records of one width only",
            field="records",
            expected=f"{width} columns",
            got=rows.shape,
        )


def require_two_classes(labels: IntArray, least: int) -> tuple[IntArray, NDArray[np.bool_]]:
    """Return the (2,) sorted classes and (n,) marks of the larger one.

    Args:
        labels: (n,) int64.
        least: rows that each class must have.

    Raises:
        DataInvalid: there are not exactly two classes, or one of them has too few rows.
    """
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) != 2:  # noqa: PLR2004 -- between two classes
        raise DataInvalid(
            "this model tells two classes apart",
            field="labels",
            expected="2 classes",
            got=f"{len(classes)} classes",
            hint='Set training.model = "linear" for any number of classes.',
        )
    if counts.min() < least:
        raise DataInvalid(
            "a class has too few rows to learn from",
            field="labels",
            expected=f"at least {least} rows of each class",
            got=int(counts.min()),
        )
    return classes, labels == classes[1]
