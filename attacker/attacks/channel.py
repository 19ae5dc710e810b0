"""The best rotation a view gives, and how much of a record survives it: z = g x + noise."""

from dataclasses import dataclass

import numpy as np

from collude.attacker.attacks.material import (
    anchor_pair,
    disclosed_transform,
    missing_for_anchor_pair,
    upload_of,
)
from collude.attacker.attacks.procrustes import procrustes_rotation
from collude.attacker.view import CollusionView
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.theory import phi
from collude.common.methods import traits_of

NO_ROTATION = "the target's rotation: one transform for all disclosed, or A and its anchor upload"


@dataclass(frozen=True, eq=False, repr=False)
class Channel:
    """Rows of the target, centred and turned back as well as the view allows.

    Attributes:
        rows: Z = (Y - 1 y_bar^T) O_hat^T, shape (n, d).
        rotation: O_hat, shape (d, d).
        gain: g, the expected share of a record that points the right way, 0 to 1.
        noise: nu, variance a column of what points elsewhere.
    """

    rows: FloatArray
    rotation: FloatArray
    gain: float
    noise: float


def missing_for_channel(view: CollusionView) -> tuple[str, ...]:
    """Return what the view lacks for `channel`, in words."""
    if _common(view) or not missing_for_anchor_pair(view):
        return ()
    return (NO_ROTATION,)


def _common(view: CollusionView) -> bool:
    common = traits_of(view.parameters.method).common_secret
    return common and disclosed_transform(view) is not None


def channel(view: CollusionView, target: str) -> Channel:
    """Return the target's rows behind the noise that is left.

    Anchor noise leaves one rotation error for all rows: g = phi(s), nu = (1 - g^2) tr(S_Y) / d.
    Private noise leaves g = 1, nu = sigma^2.

    Raises:
        AttackImpossible: the view lacks what `missing_for_channel` says.
    """
    Y = upload_of(view, target).private
    centred = Y - Y.mean(axis=0)
    transform = disclosed_transform(view) if _common(view) else None
    rotation = transform.rotation if transform else procrustes_rotation(anchor_pair(view, target))
    d = view.parameters.d
    added = view.noise_of(target)
    gain = 1.0 if transform else float(phi(added.anchor * d**0.5))
    spread = float(np.sum(centred**2)) / len(Y) / d
    noise = (1.0 - gain**2) * spread + added.private**2
    return Channel(centred @ rotation.T, rotation, gain, noise)
