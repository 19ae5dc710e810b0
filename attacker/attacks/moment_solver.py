"""The rotation that fits the anchor and the second moments of the records at once.

    min over O in O(d):  (beta / 2) tr(Sigma^-1 O S_Y O^T) - tr(O^T M) / v^2

M = (H_r A)^T H_r B, S_Y the covariance of Y, Sigma that of the prior, beta the weight of the
moments as a number of rows. In eigenbases Sigma = Q diag(L) Q^T and S_Y = V diag(D) V^T with
U = Q^T O V, P = U diag(D) U^T and N = (Q^T M V) U^T, a left rotation exp(W) U, W skew, has

    gradient   g_jk = beta P_jk (1/L_j - 1/L_k) + (N_kj - N_jk) / v^2
    diagonal   H_jk = beta (1/L_j - 1/L_k)(P_kk - P_jj) + (N_jj + N_kk) / v^2

Each step takes W = -g / |H|, clipped, through a Cayley transform, which keeps U orthogonal, and
halves it until the objective falls.

Source: derived for this project (generalised Procrustes with matched second moments).
"""

from dataclasses import dataclass

import numpy as np

from collude.common.geometry.arrays import FloatArray

MAX_STEPS = 40
CLIP = 0.5
"""Largest entry of a step, in radians."""
_HALVINGS = 8
_FLOOR = 1e-12
_TOLERANCE = 1e-9
"""Relative fall of the objective under which the search ends."""


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """One target's problem, in eigenbases.

    Attributes:
        prior_precision: 1/L, shape (d,).
        spread: D, shape (d,), eigenvalues of S_Y.
        anchor: Q^T M V / v^2, shape (d, d).
        beta: weight of the second moments, > 0.
    """

    prior_precision: FloatArray
    spread: FloatArray
    anchor: FloatArray
    beta: float

    def moments(self, U: FloatArray) -> FloatArray:
        """Return P = U diag(D) U^T."""
        product: FloatArray = (U * self.spread) @ U.T
        return product

    def objective(self, U: FloatArray) -> float:
        """Return what is minimised."""
        diagonal = np.einsum("jk,k,jk->j", U, self.spread, U)
        fit = 0.5 * self.beta * float(diagonal @ self.prior_precision)
        return fit - float(np.vdot(U, self.anchor))

    def step(self, U: FloatArray) -> FloatArray:
        """Return the skew step W, shape (d, d)."""
        P, N, inverse = self.moments(U), self.anchor @ U.T, self.prior_precision
        difference = inverse[:, None] - inverse[None, :]
        gradient = self.beta * P * difference + N.T - N
        energy, agreement = np.diag(P), np.diag(N)
        curvature = self.beta * difference * (energy[None, :] - energy[:, None])
        curvature = np.abs(curvature + agreement[:, None] + agreement[None, :])
        floor = _FLOOR * max(float(curvature.max()), np.finfo(np.float64).tiny)
        clipped: FloatArray = np.clip(-gradient / np.maximum(curvature, floor), -CLIP, CLIP)
        return clipped


def turned(U: FloatArray, W: FloatArray) -> FloatArray:
    """Return the Cayley transform (I - W/2)^-1 (I + W/2) U: orthogonal, exp(W) U to third order."""
    identity = np.eye(len(U))
    right = (identity + 0.5 * W) @ U
    result: FloatArray = np.linalg.solve(identity - 0.5 * W, right).astype(np.float64)
    return result


def solve(problem: Problem, start: FloatArray, steps: int = MAX_STEPS) -> tuple[FloatArray, int]:
    """Return U after at most `steps` steps from an orthogonal start, and how many were taken."""
    U, value = start, problem.objective(start)
    for taken in range(steps):
        found = _descend(problem, U, value)
        if found is None:
            return U, taken
        fall, (U, value) = value - found[1], found
        if fall <= _TOLERANCE * max(1.0, abs(value)):
            return U, taken + 1
    return U, steps


def _descend(problem: Problem, U: FloatArray, value: float) -> tuple[FloatArray, float] | None:
    """Return the next point and its value, or None if no fraction of the step falls."""
    W = problem.step(U)
    for _ in range(_HALVINGS):
        candidate = turned(U, W)
        reached = problem.objective(candidate)
        if reached < value:
            return candidate, reached
        W = 0.5 * W
    return None
