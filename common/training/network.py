"""The paper's network in torch. Imports torch, so only a trainer imports this, when it runs.

On a processor with oneDNN the layers pass their maps on in its own blocked layout: max pooling
and its gradient, a third of the time otherwise, then hardly count. Everything lies in memory;
an epoch copies the rows once into their new order, and a batch is a slice of that.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from collude.common.models.cnn import KERNEL, POOL, SHAPES, SIDE
from collude.common.training.backend import one_thread
from collude.common.training.device import CPU

Weights = dict[str, Tensor]
Arrays = dict[str, NDArray[np.float64]]
Layout = Callable[[Tensor], Tensor]

LEARNING_RATE, BATCH = 1e-3, 256
_CHECKED_AT_ONCE = 1024


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """Rows with the mark of their class.

    Attributes:
        rows: (n, 400) float32, n >= 1.
        larger: (n,) bool.
    """

    rows: NDArray[np.float32]
    larger: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Course:
    """What decides the course of training.

    Attributes:
        weights: draws the first weights.
        order: draws the order of the rows, epoch after epoch.
        epochs: >= 1.
    """

    weights: np.random.Generator
    order: np.random.Generator
    epochs: int


def fit(training: Part, validation: Part, course: Course, device: str) -> Arrays:
    """Return the weights after the epoch with the best balanced accuracy on `validation`.

    Args:
        training: the rows to learn from.
        validation: the rows that choose the epoch, of both classes.
        course: what decides the rest.
        device: `cpu` or `cuda`.
    """
    # TensorFloat-32 has 10 bits of fraction; sums without a fixed order would not repeat.
    exact = torch.backends.cudnn.flags(
        enabled=True, benchmark=False, deterministic=True, allow_tf32=False
    )
    with one_thread(), exact:
        weights = first_weights(course.weights, device)
        optimiser = torch.optim.Adam(weights.values(), lr=LEARNING_RATE, fused=True)
        rows, targets = _on(training, device)
        best, kept = -1.0, weights
        for _ in range(course.epochs):
            order = torch.from_numpy(course.order.permutation(len(rows))).to(device)
            _epoch(weights, optimiser, rows[order], targets[order])
            reached = balanced_accuracy(weights, *_on(validation, device))
            if reached > best:
                best, kept = reached, {n: w.detach().clone() for n, w in weights.items()}
        return {name: w.cpu().numpy().astype(np.float64) for name, w in kept.items()}


def first_weights(rng: np.random.Generator, device: str) -> Weights:
    """Return weights uniform within 1 / sqrt(values that enter a unit), as torch's layers start."""
    weights, reach = {}, 0.0
    for name, shape in SHAPES.items():
        if name.endswith("_weights"):
            reach = 1.0 / shape[1] ** 0.5
        drawn = rng.uniform(-reach, reach, prod(shape)).reshape(shape)
        weights[name] = torch.from_numpy(drawn.astype(np.float32)).to(device).requires_grad_()
    return weights


def logits(weights: Weights, rows: Tensor) -> Tensor:
    """Return the (n,) logarithms of the odds of the larger class of (n, 400) rows, n >= 1."""
    enter, leave = _layout(rows)
    maps = enter(rows.reshape(-1, 1, SIDE, SIDE))
    for layer in ("conv1", "conv2"):
        kernels = weights[f"{layer}_weights"].reshape(-1, maps.shape[1], KERNEL, KERNEL)
        convolved = functional.conv2d(maps, kernels, weights[f"{layer}_bias"])
        maps = functional.relu(functional.max_pool2d(convolved, POOL, POOL))
    hidden = functional.linear(
        leave(maps).flatten(1), weights["hidden_weights"], weights["hidden_bias"]
    )
    output = functional.linear(
        functional.relu(hidden), weights["output_weights"], weights["output_bias"]
    )
    return output[:, 0]


def balanced_accuracy(weights: Weights, rows: Tensor, targets: Tensor) -> float:
    """Return the mean recall of the two classes, both of which must occur."""
    with torch.no_grad():
        parts = torch.split(rows, _CHECKED_AT_ONCE)
        larger = torch.cat([logits(weights, part) for part in parts]) >= 0.0
    of_larger = targets > 0.0
    recalls = (larger[of_larger].double().mean(), (~larger)[~of_larger].double().mean())
    return float(sum(recalls) / len(recalls))


def _epoch(
    weights: Weights, optimiser: torch.optim.Optimizer, rows: Tensor, targets: Tensor
) -> None:
    for batch, wanted in _batches(rows, targets):
        optimiser.zero_grad()
        loss = functional.binary_cross_entropy_with_logits(logits(weights, batch), wanted)
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimiser.step()


def _batches(rows: Tensor, targets: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    return zip(torch.split(rows, BATCH), torch.split(targets, BATCH), strict=True)


def _on(part: Part, device: str) -> tuple[Tensor, Tensor]:
    targets = part.larger.astype(np.float32)
    return torch.from_numpy(part.rows).to(device), torch.from_numpy(targets).to(device)


def _layout(rows: Tensor) -> tuple[Layout, Layout]:
    """Return how maps get into the convolutions' own layout, and out of it."""
    available = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]  # torch
    blocked = available and rows.device.type == CPU
    return (Tensor.to_mkldnn, Tensor.to_dense) if blocked else (_as_it_is, _as_it_is)


def _as_it_is(maps: Tensor) -> Tensor:
    return maps
