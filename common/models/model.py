"""What every delivered model can do, and the kinds there are."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import ModelInvalid
from collude.common.models.linear import LinearModel


class Model(Protocol):
    """A trained classifier as plain arrays with a numpy forward pass.

    `architecture()` is JSON and `arrays()` are float64; together they rebuild the model with
    `model_from`. No library that trains is needed to predict.
    """

    kind: ClassVar[str]

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

    @classmethod
    def rebuild(
        cls, architecture: Mapping[str, object], arrays: Mapping[str, NDArray[np.generic]]
    ) -> Self:
        """Return the model, or raise `ModelInvalid`."""
        ...


MODELS: Mapping[str, type[Model]] = MappingProxyType({LinearModel.kind: LinearModel})
"""The kinds of model by the `kind` in their architecture."""


def model_from(
    architecture: Mapping[str, object], arrays: Mapping[str, NDArray[np.generic]]
) -> Model:
    """Return the model that another party described.

    Args:
        architecture: parsed JSON.
        arrays: float64, by name.

    Raises:
        ModelInvalid: the kind is unknown, a part is missing, a shape is wrong, or a value is
            not finite.
    """
    kind = architecture.get("kind") if isinstance(architecture, Mapping) else None
    if not isinstance(kind, str) or kind not in MODELS:
        raise ModelInvalid(
            "the model is of an unknown kind",
            field="kind",
            expected=" or ".join(MODELS),
            got=repr(kind)[:80],
        )
    return MODELS[kind].rebuild(architecture, arrays)
