"""Wiener shrinkage around the target's own mean, estimated like everything else.

The centred attack puts the colluders' mean where the target's was, and with few people behind
each mean this takes away who they are. The Procrustes mean m_op = O_hat (y_bar - psi_hat) still
shows the target's: m_op = g m + noise, with g of the channel and variance nu a column,

    nu = (1 - g^2) |m_op|^2 / d + sigma^2 / n
    centre = mu + Q diag(w) Q^T (m_op / g - mu),   w_k = (lambda_k / c) / (lambda_k / c + nu / g^2)

in the prior's eigenbasis. A mean over c independent records varies by lambda / c; how many people
stand behind it nobody says, so c is the one of 1, 2, 4, ... up to n under which m_op itself is
most likely. Around that centre rows are shrunk as by `wiener`.

The view must hold a rotation with its translation, and records for the prior. It fails where the
prior is wrong. At large noise the centre falls back to mu.

Source: derived for this project; empirical Bayes for the mean (Efron and Morris, 1973).
"""

import numpy as np

from collude.attacker.attacks.base import Reconstruction
from collude.attacker.attacks.channel import Channel, channel, missing_for_channel
from collude.attacker.attacks.material import (
    PRIOR_MEAN,
    anchor_pair,
    disclosed_transform,
    missing_for_anchor_pair,
    require,
    upload_of,
)
from collude.attacker.attacks.prior import Prior, prior_of
from collude.attacker.view import CollusionView, Noise
from collude.common.errors import AttackImpossible
from collude.common.geometry.arrays import FloatArray
from collude.common.methods import traits_of

_FAINTEST = 1e-6
"""Gains under this say nothing of the mean; it keeps the division finite."""


class ShrunkCentre:
    """The linear estimate under the coalition's prior, mean included."""

    name = "shrunk-centre"
    title = "Shrunk centre"
    source = "this project: Wiener shrinkage around an empirical Bayes mean"

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
        Y = upload_of(view, target).private
        y_bar = Y.mean(axis=0)
        shown = (y_bar - _translation(view, target, seen)) @ seen.rotation.T
        noise = _mean_noise(view.noise_of(target), seen, shown, len(Y))
        people = most_likely_count(shown, prior, seen.gain, noise, len(Y))
        centre = shrunk_mean(shown, prior, seen.gain, noise, people)
        gains = seen.gain * prior.variances / (seen.gain**2 * prior.variances + seen.noise)
        records = centre + (seen.rows @ prior.basis * gains) @ prior.basis.T
        diagnostics: dict[str, float | str] = {"prior": prior.origin, "people": float(people)}
        return Reconstruction(records, seen.rotation, y_bar - centre @ seen.rotation, diagnostics)


def shrunk_mean(
    shown: FloatArray, prior: Prior, gain: float, noise: float, people: int
) -> FloatArray:
    """Return the posterior mean of m, shape (d,), for `shown` = g m + noise.

    Args:
        shown: m_op, shape (d,).
        prior: of single records.
        gain: g, 0 to 1.
        noise: nu, variance a column.
        people: c, independent records behind a mean, at least 1.
    """
    spread, error = prior.variances / people, noise / max(gain, _FAINTEST) ** 2
    weights = spread / (spread + error)
    surprise = (shown / max(gain, _FAINTEST) - prior.mean) @ prior.basis
    centre: FloatArray = prior.mean + prior.basis @ (weights * surprise)
    return centre


def most_likely_count(shown: FloatArray, prior: Prior, gain: float, noise: float, most: int) -> int:
    """Return the c of 1, 2, 4, ... <= `most` that makes m_op most likely under the prior."""
    scale = max(gain, _FAINTEST)
    surprise = ((shown / scale - prior.mean) @ prior.basis) ** 2

    def cost(people: int) -> float:
        variance = prior.variances / people + noise / scale**2
        return float(np.sum(np.log(variance) + surprise / variance))

    return min((1 << k for k in range(most.bit_length())), key=cost)


def _mean_noise(added: Noise, seen: Channel, shown: FloatArray, rows: int) -> float:
    turned = (1.0 - seen.gain**2) * float(shown @ shown) / len(shown)
    return turned + added.private**2 / rows


def _translation(view: CollusionView, target: str, seen: Channel) -> FloatArray:
    common = disclosed_transform(view) if traits_of(view.parameters.method).common_secret else None
    if common is not None and missing_for_anchor_pair(view):
        return common.translation
    pair = anchor_pair(view, target)
    translation: FloatArray = pair.uploaded_mean - pair.anchor_mean @ seen.rotation
    return translation
