"""Least squares on the known anchor, then a pseudo-inverse: the paper's second estimator (MP).

    M_hat = pinv(H_r A) H_r B,   X_hat = (Y - 1 b^T) pinv(M_hat)

The view must hold A and the target's B. M_hat = O + v G is not orthogonal, and its inverse blows
up: the median relative error is .57 at s = .6 and hundreds from s = 1.2 on. Procrustes is never
worse; this attack is here because the paper compares it.
"""

import numpy as np

from collude.attacker.attacks.base import Reconstruction
from collude.attacker.attacks.material import (
    anchor_pair,
    missing_for_anchor_pair,
    require,
    upload_of,
)
from collude.attacker.view import CollusionView


class MoorePenrose:
    """The linear estimate and its pseudo-inverse."""

    name = "moore-penrose"
    title = "Moore-Penrose"
    source = "noisy anchor alignment, supplement II (MP)"

    def missing(self, view: CollusionView) -> tuple[str, ...]:
        """Return what the view lacks, in words."""
        return missing_for_anchor_pair(view)

    def reconstruct(
        self, view: CollusionView, target: str, rng: np.random.Generator
    ) -> Reconstruction:
        """Return X_hat; no rotation, as the estimate is not orthogonal.

        Raises:
            AttackImpossible: the view lacks A or the target's B.
        """
        del rng  # deterministic
        require(self.missing(view), self.name)
        pair = anchor_pair(view, target)
        linear = np.linalg.lstsq(pair.anchor, pair.uploaded, rcond=None)[0]
        translation = pair.uploaded_mean - pair.anchor_mean @ linear
        records = (upload_of(view, target).private - translation) @ np.linalg.pinv(linear)
        worst = float(np.linalg.norm(linear, ord=-2))
        return Reconstruction(records, None, translation, {"smallest_singular_value": worst})
