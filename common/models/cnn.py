"""The paper's convolutional network as plain arrays, with a forward pass in numpy.

    1 x 20 x 20 -> conv 5 x 5, 10 maps, ReLU, max pool 2 -> conv 5 x 5, 20 maps, ReLU,
    max pool 2 -> 80 -> 50, ReLU -> 1

A record of 400 values is an image of 20 x 20, row by row; after a rotation of the records that
arrangement has no meaning as a place. ReLU follows the pooling here and in training: both keep
the order of values, so the result is the same and ReLU has a quarter of the work.

Source: noisy anchor alignment, section V; sizes from its authors' public repository.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

import numpy as np

from collude.common.errors import ModelInvalid
from collude.common.models.checks import (
    Described,
    FloatArray,
    IntArray,
    checked_arrays,
    checked_classes,
    checked_rows,
    checked_width,
)

SIDE, KERNEL, POOL = 20, 5, 2
WIDTH = SIDE * SIDE
CLASSES = 2

SHAPES: Mapping[str, tuple[int, ...]] = MappingProxyType({
    "conv1_weights": (10, 1 * KERNEL * KERNEL),
    "conv1_bias": (10,),
    "conv2_weights": (20, 10 * KERNEL * KERNEL),
    "conv2_bias": (20,),
    "hidden_weights": (50, 80),
    "hidden_bias": (50,),
    "output_weights": (1, 50),
    "output_bias": (1,),
})
"""The arrays, 9,381 numbers in all. A row of convolution weights is (map, y, x), flattened."""

_ROWS_AT_ONCE = 128
"""The windows of one row take 51 kB: this many rows stay in the cache, and bound the memory."""


@dataclass(frozen=True, eq=False)
class CnnModel:
    """The network between two classes.

    Attributes:
        weights: the arrays of `SHAPES`, float64. They were trained as float32, so the wider
            type holds them exactly; only the sums of the forward pass round differently.
        classes: (2,) int64, increasing; the larger one is the positive class.
    """

    kind: ClassVar[str] = "cnn"

    weights: Mapping[str, FloatArray]
    classes: IntArray

    @property
    def width(self) -> int:
        """d, columns of the records."""
        return WIDTH

    def logits(self, rows: FloatArray) -> FloatArray:
        """Return (n,) logarithms of the odds of the larger class.

        Args:
            rows: (n, 400), n >= 0.

        Raises:
            DataInvalid: the rows have another width.
        """
        logits = np.empty(len(checked_rows(rows, WIDTH)))
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            logits[part] = self._forward(rows[part])
        return logits

    def scores(self, rows: FloatArray) -> FloatArray:
        """Return (n, 2) scores, logarithms of probabilities up to a constant in each row.

        Args:
            rows: (n, 400), n >= 0.

        Raises:
            DataInvalid: the rows have another width.
        """
        logits = self.logits(rows)
        return np.stack([np.zeros_like(logits), logits], axis=1)

    def predict(self, rows: FloatArray) -> IntArray:
        """Return (n,) labels: the larger class where its probability is at least one half.

        Args:
            rows: (n, 400), n >= 0.

        Raises:
            DataInvalid: the rows have another width.
        """
        labels: IntArray = self.classes[(self.logits(rows) >= 0.0).astype(np.intp)]
        return labels

    def _forward(self, rows: FloatArray) -> FloatArray:
        w = self.weights
        maps = rows.reshape(-1, SIDE, SIDE, 1)
        for layer in ("conv1", "conv2"):
            convolved = _convolved(maps, w[f"{layer}_weights"], w[f"{layer}_bias"])
            maps = _relu(_pooled(convolved))
        flat = maps.transpose(0, 3, 1, 2).reshape(len(rows), -1)
        hidden = _relu(flat @ w["hidden_weights"].T + w["hidden_bias"])
        logits: FloatArray = (hidden @ w["output_weights"].T + w["output_bias"])[:, 0]
        return logits

    def architecture(self) -> dict[str, object]:
        """Return what JSON must say beside the arrays to rebuild the model."""
        return {"kind": self.kind, "width": WIDTH, "classes": self.classes.tolist()}

    def arrays(self) -> dict[str, FloatArray]:
        """Return the trained numbers by name."""
        return dict(self.weights)

    @classmethod
    def rebuild(cls, architecture: Mapping[str, object], arrays: Described) -> Self:
        """Return the model that `architecture()` and `arrays()` describe; shapes are checked.

        Raises:
            ModelInvalid: a part is missing, or has another size than it must.
        """
        width, classes = checked_width(architecture), checked_classes(architecture)
        for field, expected, got in (
            ("width", WIDTH, width),
            ("classes", CLASSES, len(classes)),
        ):
            if got != expected:
                raise ModelInvalid(
                    "the network has another size than it must",
                    field=field,
                    expected=expected,
                    got=got,
                )
        return cls(checked_arrays(arrays, SHAPES), classes)


def _convolved(maps: FloatArray, weights: FloatArray, bias: FloatArray) -> FloatArray:
    """Return the valid 5 x 5 cross-correlation: (n, y, x, c) -> (n, y - 4, x - 4, out)."""
    windows = np.lib.stride_tricks.sliding_window_view(maps, (KERNEL, KERNEL), axis=(1, 2))
    n, y, x, channels = windows.shape[:4]
    # With the channels last, a row of a window is one run of memory.
    flat = windows.transpose(0, 1, 2, 4, 5, 3).reshape(n * y * x, weights.shape[1])
    kernels = weights.reshape(-1, channels, KERNEL, KERNEL).transpose(2, 3, 1, 0)
    by_unit = kernels.reshape(weights.shape[1], len(weights))
    return (flat @ by_unit + bias).reshape(n, y, x, len(weights))


def _pooled(maps: FloatArray) -> FloatArray:
    """Return the maximum of each 2 x 2 block: (n, 2 y, 2 x, c) -> (n, y, x, c)."""
    rows = np.maximum(maps[:, 0::POOL], maps[:, 1::POOL])
    return np.maximum(rows[:, :, 0::POOL], rows[:, :, 1::POOL])


def _relu(values: FloatArray) -> FloatArray:
    return np.maximum(values, 0.0)
