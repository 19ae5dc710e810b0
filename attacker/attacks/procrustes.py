"""Orthogonal Procrustes on the known anchor: the attack that the paper evaluates (OP).

    O_hat = polar((H_r A)^T H_r B),   psi_hat = b - O_hat^T a,   X_hat = (Y - 1 psi_hat^T) O_hat^T

The view must hold A (from a colluder) and the target's B. With A^T A = I and noise v it is the
maximum-likelihood estimate of O, and nothing else in the anchors improves on it. Its rotation
error is 2 (1 - phi(s)), s = v sqrt(d), s^2/2 up to s = 1. It fails gradually, because the
rotation error acts on whole records: a large mean record costs most.
"""

import numpy as np

from collude.attacker.attacks.base import Reconstruction
from collude.attacker.attacks.material import (
    AnchorPair,
    anchor_pair,
    missing_for_anchor_pair,
    require,
    upload_of,
)
from collude.attacker.view import CollusionView
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.haar import polar_factor


def procrustes_rotation(pair: AnchorPair) -> FloatArray:
    """Return O_hat = polar((H_r A)^T H_r B), shape (d, d)."""
    return polar_factor(pair.anchor.T @ pair.uploaded)


class Procrustes:
    """The estimate by the known anchor alone."""

    name = "procrustes"
    title = "Procrustes"
    source = "noisy anchor alignment, section IV-C (OP); Schönemann 1966"

    def missing(self, view: CollusionView) -> tuple[str, ...]:
        """Return what the view lacks, in words."""
        return missing_for_anchor_pair(view)

    def reconstruct(
        self, view: CollusionView, target: str, rng: np.random.Generator
    ) -> Reconstruction:
        """Return X_hat, O_hat and psi_hat of the target.

        Raises:
            AttackImpossible: the view lacks A or the target's B.
        """
        del rng  # deterministic
        require(self.missing(view), self.name)
        Y = upload_of(view, target).private
        pair = anchor_pair(view, target)
        rotation = procrustes_rotation(pair)
        translation = pair.uploaded_mean - pair.anchor_mean @ rotation
        return Reconstruction((Y - translation) @ rotation.T, rotation, translation)
