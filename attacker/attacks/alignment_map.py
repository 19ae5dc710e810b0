"""Through the analyst's own alignment: the paper's third estimator (AM).

    O_hat_i = polar(sum_c O_c R_c R_i^T),   X_hat = (Y - 1 b^T) O_hat_i^T

The view must hold the uploads' anchors and the transform of at least one colluder; the anchor A
is not needed, which makes this the natural attack where A is withheld. Its error is the pair
error of the alignment, s^2 at small s: twice that of Procrustes, and pooling more participants
cannot bring it below Procrustes.
"""

import numpy as np

from collude.attacker.attacks.base import Reconstruction
from collude.attacker.attacks.material import (
    ANCHOR_UPLOADS,
    DISCLOSED_TRANSFORM,
    require,
    upload_of,
)
from collude.attacker.view import CollusionView
from collude.common.errors import AttackImpossible
from collude.common.geometry.alignment.spectral import align_spectral
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.haar import polar_factor


class AlignmentMap:
    """The colluder's transform, carried over to the target by the alignment."""

    name = "alignment-map"
    title = "Alignment map"
    source = "noisy anchor alignment, supplement II (AM)"

    def missing(self, view: CollusionView) -> tuple[str, ...]:
        """Return what the view lacks, in words."""
        anchors = any(upload.anchor is not None for upload in view.uploads.values())
        held = ((anchors, ANCHOR_UPLOADS), (bool(_transforms(view)), DISCLOSED_TRANSFORM))
        return tuple(what for holds, what in held if not holds)

    def reconstruct(
        self, view: CollusionView, target: str, rng: np.random.Generator
    ) -> Reconstruction:
        """Return X_hat, O_hat and psi_hat of the target.

        Raises:
            AttackImpossible: the view lacks anchors or a transform, or the target sent none.
        """
        del rng  # deterministic
        require(self.missing(view), self.name)
        upload = upload_of(view, target)
        if upload.anchor is None:
            raise AttackImpossible("the target uploaded no anchor", field="target", got=target)
        rotations = _rotations(view)
        carried = [own @ rotations[name] for name, own in _transforms(view).items()]
        rotation = polar_factor(np.sum(carried, axis=0) @ rotations[target].T)
        translation = upload.anchor.mean(axis=0)  # the anchor is centred
        return Reconstruction((upload.private - translation) @ rotation.T, rotation, translation)


def _transforms(view: CollusionView) -> dict[str, FloatArray]:
    told = view.disclosures.items()
    return {name: d.transform.rotation for name, d in told if d.transform is not None}


def _rotations(view: CollusionView) -> dict[str, FloatArray]:
    anchors = {n: u.anchor for n, u in view.uploads.items() if u.anchor is not None}
    alignment = view.alignment or align_spectral(list(anchors.values()), names=list(anchors))
    return {name: alignment.rotations[i] for i, name in enumerate(anchors)}
