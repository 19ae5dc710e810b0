"""The kinds of field a message may have, as annotations that the codec reads."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Length:
    """Exactly this many bytes."""

    value: int


@dataclass(frozen=True, slots=True)
class Shape:
    """This many dimensions."""

    dimensions: int


FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Array = FloatArray | IntArray
"""Float64 or int64, one or two dimensions."""

Bytes32 = Annotated[bytes, Length(32)]
Signature = Annotated[bytes, Length(64)]
Matrix = Annotated[FloatArray, Shape(2)]
Vector = Annotated[FloatArray, Shape(1)]
IntMatrix = Annotated[IntArray, Shape(2)]
IntVector = Annotated[IntArray, Shape(1)]
"""An (n, d) float64 array; a (d,) float64 array; their int64 siblings."""
