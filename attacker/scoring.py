"""Scores of attacks against the truth. Only this file and tests see ground truth."""

import numpy as np

from collude.attacker.attacks.base import Reconstruction
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.metrics import rotation_error


def reconstruction_error(
    estimate: Reconstruction,
    truth_records: FloatArray,
    truth_rotation: FloatArray | None = None,
) -> dict[str, float | None]:
    """Return how far a reconstruction is from the truth; all figures are squared.

    - `relative`: ||X_hat - X||_F^2 / ||X||_F^2
    - `centred_relative`: ||X_hat - X||_F^2 / ||X - 1 mean^T||_F^2; 1 is what the mean record
      alone would score
    - `rotation`: ||O_hat - O||_F^2 / d, 0 to 4 for orthogonal O_hat; 2 is a random guess

    Args:
        estimate: an attack's result.
        truth_records: X, shape (n, d).
        truth_rotation: O of the target, shape (d, d), or None.

    Returns:
        The three figures. None where a figure is undefined: no rotation on one side, or a
        denominator of 0 (no energy; one row, or all rows alike).

    Raises:
        ValueError: the estimate has another shape than the truth, or is not finite.
    """
    truth = np.asarray(truth_records, dtype=np.float64)
    if estimate.records.shape != truth.shape:
        raise ValueError(f"an estimate of {estimate.records.shape} cannot score on {truth.shape}")
    if not np.isfinite(estimate.records).all():
        raise ValueError("the estimate holds NaN or infinity")
    error = _energy(estimate.records - truth)
    return {
        "relative": _ratio(error, _energy(truth)),
        "centred_relative": _ratio(error, _energy(truth - truth.mean(axis=0))),
        "rotation": _rotation(estimate.rotation, truth_rotation),
    }


def _energy(matrix: FloatArray) -> float:
    return float(np.vdot(matrix, matrix))


def _ratio(error: float, scale: float) -> float | None:
    return error / scale if scale > 0.0 else None


def _rotation(estimate: FloatArray | None, truth: FloatArray | None) -> float | None:
    if estimate is None or truth is None:
        return None
    return rotation_error(estimate, truth)
