"""The paper's network: 15 epochs of Adam, and of them the one with the best validation.

Adam 1e-3, batches of 256 in a fresh order each epoch, binary cross entropy without weights, no
weight decay, float32, records as they are. Of the epochs the one with the highest balanced
accuracy on validation rows is kept, the earliest on a tie; a row is of the larger class if its
probability is at least one half.

A participant uploads no separate validation rows, so they are taken from the training rows: 15 %
of each class, at least one, drawn by the training seed. What is reported as utility comes from
the participants' held-out records, which nothing here has seen.

Source: noisy anchor alignment, section V; the recipe of its authors' public repository.
"""

import numpy as np
from numpy.typing import NDArray

from collude.common.encoding import encode
from collude.common.errors import DataInvalid
from collude.common.models import CnnModel
from collude.common.models.cnn import WIDTH
from collude.common.randomness import generator_from_bytes, hkdf
from collude.common.training.backend import torch_module
from collude.common.training.checks import require_labelled, require_two_classes, require_width
from collude.common.training.device import AUTO, resolve_device

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Marks = NDArray[np.bool_]

EPOCHS = 15
VALIDATION = 0.15
"""Share of each class's rows that choose the epoch and are not trained on."""

LEAST_ROWS = 2
"""Of each class: one to train on and one to validate with."""


def train_cnn(
    rows: FloatArray,
    labels: IntArray,
    *,
    seed: int,
    device: str = AUTO,
    epochs: int = EPOCHS,
) -> CnnModel:
    """Return the trained network.

    The same seed gives the same bytes on one CPU type; a CUDA device rounds otherwise, but
    starts from the same weights and takes the rows in the same order.

    Args:
        rows: (n, 400) float64, finite.
        labels: (n,) int64, two classes with at least two rows each.
        seed: draws the first weights, the validation rows and the order of the rows, >= 0.
        device: `cpu`, `cuda` or `auto`.
        epochs: >= 1.

    Raises:
        DataInvalid: rows or labels are not as above, or so large that training overflows.
        ScenarioInvalid: CUDA is wanted and does not work here.
        ExtraMissing: torch is not installed.
    """
    require_labelled(rows, labels)
    require_width(rows, WIDTH)
    classes, larger = require_two_classes(labels, LEAST_ROWS)
    torch_module()
    from collude.common.training import network  # noqa: PLC0415 -- it imports torch

    held_out = validation_rows(larger, stream(seed, "validation"))
    with np.errstate(over="ignore"):
        images = rows.astype(np.float32)
    weights = network.fit(
        network.Part(images[~held_out], larger[~held_out]),
        network.Part(images[held_out], larger[held_out]),
        network.Course(stream(seed, "weights"), stream(seed, "order"), epochs),
        resolve_device(device),
    )
    if not all(np.isfinite(array).all() for array in weights.values()):
        raise DataInvalid(
            "the network's weights overflow: the records are too large for it",
            field="records",
            expected="values of order 1",
            got=f"values up to {np.abs(rows).max():.3g}",
        )
    return CnnModel(weights, classes)


def stream(seed: int, purpose: str) -> np.random.Generator:
    """Return the generator of one purpose of a training seed; the seed is public."""
    return generator_from_bytes(hkdf(encode("collude/v1/training", seed), encode(purpose)))


def validation_rows(larger: Marks, rng: np.random.Generator) -> Marks:
    """Return (n,) marks of the rows to validate with: 15 % of each class, rounded, at least one.

    Args:
        larger: (n,) marks of one of the two classes.
        rng: draws them.
    """
    marks = np.zeros(len(larger), dtype=np.bool_)
    for members in (np.flatnonzero(~larger), np.flatnonzero(larger)):
        count = max(1, round(VALIDATION * len(members)))
        marks[rng.choice(members, count, replace=False)] = True
    return marks
