"""Centred Procrustes with each direction shrunk by how much of it is signal.

    delta_hat_k = g lambda_k / (g^2 lambda_k + nu) z_k,   X_hat = 1 mu^T + delta_hat

in the eigenbasis of the prior covariance: lambda its eigenvalues, g and nu those of the channel
(`channel.py`). The linear estimate of least squared error if the rotation error were noise,
independent in every row. It applies to both placements of the noise, so that neither is
attacked with less prior knowledge than the other.

The view must hold a rotation estimate and records for the prior. It fails where the prior is
wrong, and it treats the rotation error as independent noise although all rows share one.

Source: derived for this project; N. Wiener's filter.
"""

import numpy as np

from collude.attacker.attacks.base import Reconstruction
from collude.attacker.attacks.channel import channel, missing_for_channel
from collude.attacker.attacks.material import PRIOR_MEAN, require, upload_of
from collude.attacker.attacks.prior import prior_of
from collude.attacker.view import CollusionView
from collude.common.errors import AttackImpossible


class Wiener:
    """The linear estimate under the coalition's prior."""

    name = "wiener"
    title = "Wiener"
    source = "this project: centred Procrustes with Wiener shrinkage"

    def missing(self, view: CollusionView) -> tuple[str, ...]:
        """Return what the view lacks, in words."""
        lacking = missing_for_channel(view)
        return lacking if prior_of(view) is not None else (*lacking, PRIOR_MEAN)

    def reconstruct(
        self, view: CollusionView, target: str, rng: np.random.Generator
    ) -> Reconstruction:
        """Return X_hat, O_hat and the translation that they imply.

        Raises:
            AttackImpossible: the view lacks a rotation estimate or any records.
        """
        del rng  # deterministic
        require(self.missing(view), self.name)
        prior, seen = prior_of(view), channel(view, target)
        if prior is None:
            raise AttackImpossible("no records to take a prior from", expected=PRIOR_MEAN)
        gains = seen.gain * prior.variances / (seen.gain**2 * prior.variances + seen.noise)
        records = prior.mean + (seen.rows @ prior.basis * gains) @ prior.basis.T
        y_bar = upload_of(view, target).private.mean(axis=0)
        translation = y_bar - prior.mean @ seen.rotation
        return Reconstruction(records, seen.rotation, translation, {"prior": prior.origin})
