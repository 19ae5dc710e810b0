"""What every estimator returns."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from collude.common.geometry.alignment.intake import CentredAnchor
from collude.common.geometry.arrays import MATRIX_AXES, FloatArray
from collude.common.geometry.theory import limit_pair_error

PAIR_ERROR_WARNING = 0.5
GAP_WARNING = 0.1


def noise_variance(energy: float, r: int, d: int) -> float:
    """Return the unbiased estimate of s^2 = d v^2 from ||Bbar||_F^2; may be below 0.

    E ||Bbar||_F^2 = d + v^2 (r - 1) d for B = A O + 1 psi^T + v W with A^T A = I.
    """
    return (energy - d) / (r - 1)


@dataclass(frozen=True, repr=False, eq=False)
class Alignment:
    """One map per participant into a common coordinate system, fixed up to a common gauge.

    Attributes:
        rotations: R_i, orthogonal, shape (d, d). May compute an entry when it is asked for.
        means: b_i, shape (d,).
        offset: b_s of the reference participant, or zeros; shape (d,).
        gap: (sigma_d - sigma_{d+1}) / sigma_d of the stacked centred anchors, 0 to 1. NaN at
            r = d + 1, where sigma_{d+1} is 0 at any noise, and where no stack was decomposed.
        noise_variances: the estimate of s_i^2 per participant, unclipped.
        rows: r.
        converged: whether an iteration reached its tolerance; True for direct estimators.
        measure_residual: computes `residual`.
    """

    rotations: Sequence[FloatArray]
    means: Sequence[FloatArray]
    offset: FloatArray
    gap: float
    noise_variances: tuple[float, ...]
    rows: int
    converged: bool
    measure_residual: Callable[[], float]

    def transform(self, i: int, T: FloatArray) -> FloatArray:
        """Return (T - 1 b_i^T) R_i + 1 offset^T, shape (n, d), for rows T of participant i.

        Raises:
            ValueError: T is not a matrix of width d.
        """
        rows = np.asarray(T, dtype=np.float64)
        if rows.ndim != MATRIX_AXES or rows.shape[1] != self.offset.size:
            raise ValueError(f"rows of width {self.offset.size} are needed, not {rows.shape}")
        return (rows - self.means[i]) @ self.rotations[i] + self.offset

    @cached_property
    def residual(self) -> float:
        """sum_i ||Bbar_i R_i - C||_F^2 / sum_i ||Bbar_i||_F^2, C the mean of Bbar_i R_i; 0 to 1."""
        return self.measure_residual()

    @property
    def noise(self) -> float:
        """s_hat = v_hat sqrt(d), at least 0. Supposes A^T A = I."""
        return math.sqrt(max(0.0, math.fsum(self.noise_variances) / len(self.noise_variances)))

    @property
    def participant_noise(self) -> tuple[float, ...]:
        """s_hat of each participant, at least 0. Supposes A^T A = I."""
        return tuple(math.sqrt(max(0.0, variance)) for variance in self.noise_variances)

    @property
    def expected_pair_error(self) -> float | None:
        """2 (1 - phi(s_hat)^2), 0 to 2, at r = d + 1; None for more rows: no formula holds.

        It is the figure of a joint estimate; alignment to a noisy reference does no better.
        """
        return limit_pair_error(self.noise) if self.rows == self.offset.size + 1 else None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences saying why this alignment may be useless; empty if it looks sound."""
        expected = self.expected_pair_error or 0.0
        found = (
            (not self.converged, "the iteration stopped at its cap before it converged"),
            (expected > PAIR_ERROR_WARNING, f"the expected pair error is {expected:.2f} of 2"),
            (self.gap < GAP_WARNING, f"the spectral gap is {self.gap:.2f}: noise hides the anchor"),
        )
        return tuple(sentence for applies, sentence in found if applies)

    def __repr__(self) -> str:
        """Return the figures without the arrays."""
        return (
            f"Alignment(participants={len(self.means)}, noise={self.noise:.3g}, gap={self.gap:.3g})"
        )


def relative_residual(anchors: Sequence[CentredAnchor], rotations: Sequence[FloatArray]) -> float:
    """Return `Alignment.residual` of anchors in memory."""
    total = sum_aligned(anchors, rotations)
    energy = math.fsum(anchor.energy for anchor in anchors)
    return residual_from_sum(total, energy, len(anchors))


def sum_aligned(anchors: Sequence[CentredAnchor], rotations: Sequence[FloatArray]) -> FloatArray:
    """Return sum_i Bbar_i R_i, shape (r, d)."""
    total = np.zeros_like(anchors[0].centred)
    for anchor, rotation in zip(anchors, rotations, strict=True):
        total += anchor.centred @ rotation
    return total


def residual_from_sum(total: FloatArray, energy: float, p: int) -> float:
    """Return the residual from sum_i Bbar_i R_i and sum_i ||Bbar_i||_F^2.

    sum_i ||Bbar_i R_i - C||^2 = sum_i ||Bbar_i||^2 - p ||C||^2, as each R_i is orthogonal.
    """
    return max(0.0, 1.0 - float(np.vdot(total, total)) / (p * energy))
