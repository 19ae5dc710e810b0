"""Multinomial logistic regression in torch.

Minimises mean cross entropy + (l2 / 2) |W|^2 over all rows at once with L-BFGS. Rows are
centred and divided by one common scale: unlike a scale for each column, that commutes with a
rotation and a translation of the records, so a common rigid transform changes nothing but
rounding. Both steps are folded back into the weights.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import DataInvalid, ExtraMissing
from collude.common.models import LinearModel

if TYPE_CHECKING:
    from torch import Tensor

FloatArray = NDArray[np.float64]

_START = 1e-2
"""Standard deviation of the first weights."""


def train_linear(
    rows: FloatArray,
    labels: NDArray[np.int64],
    *,
    seed: int,
    l2: float = 1e-3,
    iterations: int = 200,
) -> LinearModel:
    """Return the trained classifier. The same seed and one CPU type give the same bytes.

    Args:
        rows: (n, d) float64, n >= 1, finite.
        labels: (n,) int64; one class only gives a model that always answers it.
        seed: draws the first weights; the problem is convex, so it changes only rounding.
        l2: penalty on the squared weights of the scaled rows, > 0.
        iterations: most steps of L-BFGS.

    Raises:
        DataInvalid: there are no rows, or another number of labels.
        ExtraMissing: torch is not installed.
    """
    if not len(rows) or len(rows) != len(labels):
        raise DataInvalid(
            "a model needs rows, and one label for each",
            field="labels",
            expected=f"{max(len(rows), 1)} labels",
            got=len(labels),
        )
    classes, indices = np.unique(labels, return_inverse=True)
    centre = rows.mean(axis=0)
    scale = _scale(rows - centre)
    weights, bias = _fit(
        (rows - centre) / scale, indices, len(classes), seed=seed, l2=l2, iterations=iterations
    )
    folded = weights / scale
    return LinearModel(folded, bias - centre @ folded, classes.astype(np.int64))


def _scale(centred: FloatArray) -> float:
    """Return the root mean square of all values, or 1 if all rows are equal."""
    return float(np.sqrt(np.mean(centred**2))) or 1.0


def _fit(
    rows: FloatArray,
    indices: NDArray[np.intp],
    classes: int,
    *,
    seed: int,
    l2: float,
    iterations: int,
) -> tuple[FloatArray, FloatArray]:
    torch = _torch()
    with _one_thread(torch):
        features, targets = torch.from_numpy(rows), torch.from_numpy(indices)
        generator = torch.Generator().manual_seed(seed)
        weights = _START * torch.randn(
            rows.shape[1], classes, dtype=torch.float64, generator=generator
        )
        bias = torch.zeros(classes, dtype=torch.float64)
        weights.requires_grad_()
        bias.requires_grad_()
        optimiser = torch.optim.LBFGS(
            [weights, bias],
            max_iter=iterations,
            tolerance_grad=1e-6,
            tolerance_change=1e-10,
            line_search_fn="strong_wolfe",
        )

        def loss() -> "Tensor":
            optimiser.zero_grad()
            entropy = torch.nn.functional.cross_entropy(features @ weights + bias, targets)
            total: Tensor = entropy + 0.5 * l2 * (weights**2).sum()
            total.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            return total

        optimiser.step(loss)
        return weights.detach().numpy(), bias.detach().numpy()


def _torch() -> ModuleType:
    try:
        import torch  # noqa: PLC0415 -- slow to import, and an optional extra
    except ImportError as error:
        raise ExtraMissing(
            "training needs torch, which is not installed",
            field="training.model",
            hint='Install the extra "train": pip install "collude[train]"',
        ) from error
    return torch


@contextmanager
def _one_thread(torch: ModuleType) -> Iterator[None]:
    """Run with one thread: sums over several threads come in another order each time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
