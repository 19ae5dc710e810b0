"""Alignment to one participant's anchor, for anchors without noise (AA-GDP)."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from collude.common.geometry.alignment.intake import accept_anchors
from collude.common.geometry.alignment.result import (
    Alignment,
    noise_variance,
    relative_residual,
)
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.haar import polar_factor


def align_to_reference(
    anchors: Sequence[FloatArray], reference: int = 0, names: Sequence[str] | None = None
) -> Alignment:
    """Return R_i = polar(Bbar_i^T Bbar_s) with R_s = I and offset b_s, s the reference.

    Without noise every participant lands exactly in the coordinates of s: this is C-GDP under
    the secret of s. With noise the whole error of B_s enters every R_i; use `align_spectral`.

    Args:
        anchors: B_i, shape (r, d), r >= d + 1.
        reference: index s of the reference participant.
        names: of the parties, for errors.

    Raises:
        UploadRejected: an anchor is bad.
        ValueError: no anchor, no such reference, or another number of names.

    Source: noisy anchor alignment, Algorithm 1 and Proposition III.1.
    """
    accepted = accept_anchors(anchors, names)
    if not 0 <= reference < len(accepted):
        raise ValueError(f"the reference must be 0 to {len(accepted) - 1}, not {reference}")
    target = accepted[reference]
    r, d = target.centred.shape
    rotations = [
        np.eye(d) if i == reference else polar_factor(anchor.centred.T @ target.centred)
        for i, anchor in enumerate(accepted)
    ]
    return Alignment(
        rotations=tuple(rotations),
        means=tuple(anchor.mean for anchor in accepted),
        offset=target.mean,
        gap=math.nan,  # no stack is decomposed
        noise_variances=tuple(noise_variance(anchor.energy, r, d) for anchor in accepted),
        rows=r,
        converged=True,
        measure_residual=partial(relative_residual, accepted, rotations),
    )
