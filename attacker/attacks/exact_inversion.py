"""Inversion of a secret transform that the view determines exactly.

Two ways lead to the target's (O, psi):
- a common transform (C-GDP): the colluder's is the target's;
- an anchor without noise (AA-GDP): O = pinv(H_r A) H_r B and psi = b - O^T a.
Then X_hat = (Y - 1 psi^T) O^T. It is exact to rounding without noise on the records; with noise
sigma the error is exactly sigma W O^T.

The view must hold the colluder's transform, or A and the target's B. It fails for own
transforms without anchors (I-GDP) and for noisy anchors (NAA-GDP): there `procrustes` estimates.

Source: noisy anchor alignment, section II-C (common transform) and Theorem III.2 (anchor).
"""

import numpy as np

from collude.attacker.attacks.base import Reconstruction
from collude.attacker.attacks.material import (
    DISCLOSED_TRANSFORM,
    anchor_pair,
    disclosed_transform,
    missing_for_anchor_pair,
    require,
    upload_of,
)
from collude.attacker.view import CollusionView
from collude.common.geometry.arrays import FloatArray
from collude.common.methods import traits_of

CLEAN_ANCHORS = "one transform for all participants, or anchors without noise"


def _has_common_transform(view: CollusionView) -> bool:
    return traits_of(view.parameters.method).common_secret


def _from_anchor(view: CollusionView, target: str) -> tuple[FloatArray, FloatArray]:
    pair = anchor_pair(view, target)
    rotation = np.linalg.pinv(pair.anchor) @ pair.uploaded
    return rotation, pair.uploaded_mean - pair.anchor_mean @ rotation


class ExactInversion:
    """The known-secret inversion."""

    name = "exact-inversion"
    title = "Exact inversion"
    source = "noisy anchor alignment, Theorem III.2 and section II-C"

    def missing(self, view: CollusionView) -> tuple[str, ...]:
        """Return what the view lacks, in words."""
        if _has_common_transform(view):
            return () if disclosed_transform(view) is not None else (DISCLOSED_TRANSFORM,)
        lacking = missing_for_anchor_pair(view)
        clean = all(view.noise_of(party).anchor == 0.0 for party in view.uploads)
        return lacking if clean else (*lacking, CLEAN_ANCHORS)

    def reconstruct(
        self, view: CollusionView, target: str, rng: np.random.Generator
    ) -> Reconstruction:
        """Return X_hat, O and psi of the target.

        Raises:
            AttackImpossible: the view does not determine the target's transform.
        """
        del rng  # deterministic
        require(self.missing(view), self.name)
        Y = upload_of(view, target).private
        common = disclosed_transform(view) if _has_common_transform(view) else None
        if common is not None:
            rotation, translation = common.rotation, common.translation
        else:
            rotation, translation = _from_anchor(view, target)
        way = "common transform" if common is not None else "anchor"
        return Reconstruction(
            (Y - translation) @ rotation.T, rotation, translation, {"secret_from": way}
        )
