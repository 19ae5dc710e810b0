"""What every kind of model checks of a description that came from another party."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import DataInvalid, ModelInvalid
from collude.common.evaluation import MOST_CLASSES

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Described = Mapping[str, NDArray[np.generic]]

TABLE_AXES = 2


def checked_rows(rows: FloatArray, width: int) -> FloatArray:
    """Return the rows if they are a table of this width.

    Raises:
        DataInvalid: they are not.
    """
    if rows.ndim != TABLE_AXES or rows.shape[1] != width:
        raise DataInvalid(
            "the model was trained on records of another width",
            field="records",
            expected=f"{width} columns",
            got=rows.shape,
        )
    return rows


def checked_width(architecture: Mapping[str, object]) -> int:
    """Return the width that an architecture names, >= 1.

    Raises:
        ModelInvalid: it names none.
    """
    width = architecture.get("width")
    if type(width) is not int or width < 1:
        raise ModelInvalid(
            "the model has no usable width", field="width", expected="an integer >= 1"
        )
    return width


def checked_classes(architecture: Mapping[str, object]) -> IntArray:
    """Return the (k,) increasing int64 classes that an architecture names, 1 <= k <= 1,000.

    Raises:
        ModelInvalid: they are missing, too many, not in order, or do not fit 64 bits.
    """
    classes = architecture.get("classes")
    if isinstance(classes, list) and len(classes) > MOST_CLASSES:
        raise ModelInvalid(
            "the model tells too many classes apart",
            field="classes",
            expected=f"at most {MOST_CLASSES}",
            got=len(classes),
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
    return labels


def checked_arrays(
    arrays: Described, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, FloatArray]:
    """Return the arrays if they are exactly those of these names and shapes, float64, finite.

    Raises:
        ModelInvalid: one is missing, too many, of another shape or type, or not finite.
    """
    if set(arrays) != set(shapes):
        raise ModelInvalid(
            "the model has other arrays than it must",
            field="arrays",
            expected=", ".join(shapes),
            got=", ".join(sorted(map(str, arrays)))[:200],
        )
    return {name: _checked(name, arrays[name], shape) for name, shape in shapes.items()}


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
