"""The array type of the mathematics."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

MATRIX_AXES = 2
