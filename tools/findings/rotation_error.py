"""The Procrustes attack's rotation error is s^2/2 up to s = 1, at any width and any r."""

import numpy as np

from collude.common.geometry import (
    centered_orthonormal_anchor,
    haar_orthogonal,
    polar_factor,
    rotation_error,
)
from collude.common.geometry.theory import procrustes_rotation_error
from tools.findings.rows import Row, Study, exact, over_seeds

LEVELS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.5)
WIDTHS = (50, 400)
SEEDS = 5
MEASURE = "rotation error of Procrustes"


def study() -> Study:
    """Return measured errors beside the closed form and s^2/2."""
    rows: list[Row] = []
    for s in LEVELS:
        rows.extend(
            over_seeds(MEASURE, f"d = {d}", s, [_error(d, s, seed) for seed in range(SEEDS)])
            for d in WIDTHS
        )
        rows.append(exact(MEASURE, "closed form", s, procrustes_rotation_error(s)))
        rows.append(exact(MEASURE, "s²/2", s, s * s / 2))
    settings = {"widths": WIDTHS, "anchor rows": "d + 1", "seeds": SEEDS}
    return Study("rotation-error", "s = v sqrt(d)", settings, rows)


def _error(d: int, s: float, seed: int) -> float:
    rng = np.random.default_rng(seed)
    A, secret = centered_orthonormal_anchor(d + 1, d, rng), haar_orthogonal(d, rng)
    noisy = A @ secret + s / d**0.5 * rng.standard_normal(A.shape)
    return rotation_error(polar_factor(A.T @ (noisy - noisy.mean(axis=0))), secret)
