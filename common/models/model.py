"""What every delivered model can do."""

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray


class Model(Protocol):
    """A trained classifier as plain arrays with a numpy forward pass.

    `architecture()` is JSON and `arrays()` are float64 of one or two dimensions; together they
    rebuild the model with `model_from`. No library that trains is needed to predict.
    """

    kind: ClassVar[str]

    @property
    def width(self) -> int:
        """d, columns of the records."""
        ...

    def scores(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (n, k) scores of (n, d) rows."""
        ...

    def predict(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return (n,) labels of (n, d) rows."""
        ...

    def architecture(self) -> dict[str, object]:
        """Return the kind, sizes and classes, as JSON types."""
        ...

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Return the trained numbers by name."""
        ...
