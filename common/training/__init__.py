"""Trainers by the name of the model. torch is imported only when one is called."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from collude.common.models import Model
from collude.common.training.linear import train_linear


class Trainer(Protocol):
    """Fits a classifier; the same arguments give the same model on one CPU type."""

    def __call__(self, rows: NDArray[np.float64], labels: NDArray[np.int64], *, seed: int) -> Model:
        """Return a model of (n, d) rows and (n,) labels."""
        ...


trainers: Mapping[str, Trainer] = MappingProxyType({"linear": train_linear})
"""What `training.model` in a scenario can name."""

__all__ = ["Trainer", "train_linear", "trainers"]
