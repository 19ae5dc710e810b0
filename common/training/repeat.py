"""The same training under several seeds."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from collude.common.models import Model, RepeatedModel


class Trainer(Protocol):
    """Fits a classifier; the same arguments give the same model on one CPU type."""

    def __call__(self, rows: NDArray[np.float64], labels: NDArray[np.int64], *, seed: int) -> Model:
        """Return a model of (n, d) rows and (n,) labels."""
        ...


def train_repeatedly(
    train: Trainer,
    rows: NDArray[np.float64],
    labels: NDArray[np.int64],
    seeds: Sequence[int],
) -> Model:
    """Return the model of the only seed, or the models of all seeds as one.

    Args:
        train: fits one model.
        rows: (n, d).
        labels: (n,).
        seeds: at least one.
    """
    models = tuple(train(rows, labels, seed=seed) for seed in seeds)
    return models[0] if len(models) == 1 else RepeatedModel(models)
