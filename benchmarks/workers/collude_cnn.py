"""Ours: one fit of the paper's network, and its flop rate over that of a plain product.

    python -m benchmarks.workers.collude_cnn ROWS EPOCHS N

N is the size of the float32 product that sets the limit.
"""

import sys

import numpy as np

from benchmarks.workers.images import VALIDATION, images
from benchmarks.workers.timing import measured, say
from collude.common.training.cnn import train_cnn

MULTIPLICATIONS = {"conv1": 16 * 16 * 10 * 25, "conv2": 4 * 4 * 20 * 250, "dense": 80 * 50 + 50}
"""Of one image, forwards. A gradient costs as much for the weights, and again for the input."""


def operations(rows: int, epochs: int) -> float:
    """Return the floating-point operations of a fit; the first layer's input needs no gradient."""
    forward = 2 * sum(MULTIPLICATIONS.values())
    step = 3 * forward - 2 * MULTIPLICATIONS["conv1"]
    return epochs * rows * ((1 - VALIDATION) * step + VALIDATION * forward)


def main() -> None:
    rows, epochs, n = map(int, sys.argv[1:])
    pixels, labels = images(rows)
    square = np.random.default_rng(0).standard_normal((n, n)).astype(np.float32)
    train_cnn(pixels[:64], labels[:64], seed=0, device="cpu", epochs=1)
    figures = measured(lambda: train_cnn(pixels, labels, seed=0, device="cpu", epochs=epochs))[1]
    limit = measured(lambda: square @ square)[1]
    fraction = operations(rows, epochs) / figures["cpu"] / (2 * n**3 / limit["cpu"])
    say({**figures, "fraction": fraction})


if __name__ == "__main__":
    main()
