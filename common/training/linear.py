"""Multinomial logistic regression in torch.

Minimises mean cross entropy + (l2 / 2) |W|^2 over all rows at once with L-BFGS. Rows are
centred and divided by one common scale: unlike a scale for each column, that commutes with a
rotation and a translation of the records, so a common rigid transform changes nothing but
rounding. Both steps are folded back into the weights. Float64 on the processor, whatever
`training.device` says: the problem is small.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from collude.common.models import LinearModel
from collude.common.training.backend import one_thread, torch_module
from collude.common.training.checks import require_labelled

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
    require_labelled(rows, labels)
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
    torch = torch_module()
    with one_thread():
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
