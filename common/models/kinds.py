"""The kinds of model there are, and how one is rebuilt from what another party described."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import ModelInvalid
from collude.common.models.cnn import CnnModel
from collude.common.models.linear import LinearModel
from collude.common.models.model import Model
from collude.common.models.repeated import Build, RepeatedModel, repeated_from

MODELS: Mapping[str, Build] = MappingProxyType({
    LinearModel.kind: LinearModel.rebuild,
    CnnModel.kind: CnnModel.rebuild,
})
"""What builds a single model, by the `kind` in its architecture."""


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
    if isinstance(architecture, Mapping) and architecture.get("kind") == RepeatedModel.kind:
        return repeated_from(architecture, arrays, _single)
    return _single(architecture, arrays)


def _single(architecture: Mapping[str, object], arrays: Mapping[str, NDArray[np.generic]]) -> Model:
    kind = architecture.get("kind") if isinstance(architecture, Mapping) else None
    if not isinstance(kind, str) or kind not in MODELS:
        raise ModelInvalid(
            "the model is of an unknown kind",
            field="kind",
            expected=" or ".join(MODELS),
            got=repr(kind)[:80],
        )
    return MODELS[kind](architecture, arrays)
