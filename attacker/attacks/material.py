"""What attacks take from a view, each piece in one place."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collude.attacker.view import CollusionView, UploadView
from collude.common.errors import AttackImpossible
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.rigid import RigidTransform

ANCHOR_UPLOADS = "transformed anchors in the uploads"
DISCLOSED_ANCHOR = "the anchor A, disclosed by a colluder"
DISCLOSED_TRANSFORM = "the common transform, disclosed by a colluder"
PRIOR_MEAN = "records of a colluder, or public records, for their mean"


@dataclass(frozen=True, repr=False, eq=False)
class AnchorPair:
    """Anchor A and the target's upload B of it, both centred.

    Attributes:
        anchor: H_r A, shape (r, d).
        anchor_mean: a = A^T 1 / r, shape (d,); 0 for an anchor made by the protocol.
        uploaded: H_r B, shape (r, d).
        uploaded_mean: b = B^T 1 / r, shape (d,).
    """

    anchor: FloatArray
    anchor_mean: FloatArray
    uploaded: FloatArray
    uploaded_mean: FloatArray


def require(missing: Sequence[str], attack: str) -> None:
    """Go on if nothing is missing.

    Raises:
        AttackImpossible: something is.
    """
    if missing:
        raise AttackImpossible(
            f"{attack} cannot run on this view", field="view", expected=" and ".join(missing)
        )


def upload_of(view: CollusionView, target: str) -> UploadView:
    """Return what the target uploaded.

    Raises:
        AttackImpossible: nothing.
    """
    if target not in view.uploads:
        raise AttackImpossible(
            "the target uploaded nothing",
            field="target",
            expected=" or ".join(view.uploads) or "an upload",
            got=target,
        )
    return view.uploads[target]


def missing_for_anchor_pair(view: CollusionView) -> tuple[str, ...]:
    """Return what the view lacks for `anchor_pair`, in words."""
    held = (
        (any(upload.anchor is not None for upload in view.uploads.values()), ANCHOR_UPLOADS),
        (_disclosed_anchor(view) is not None, DISCLOSED_ANCHOR),
    )
    return tuple(what for holds, what in held if not holds)


def anchor_pair(view: CollusionView, target: str) -> AnchorPair:
    """Return A and the target's B, centred.

    Raises:
        AttackImpossible: one of them is not in the view, or their shapes differ.
    """
    A, B = _disclosed_anchor(view), upload_of(view, target).anchor
    if A is None or B is None:
        raise AttackImpossible("the view holds no pair of anchors", field="view", got=target)
    if A.shape != B.shape:
        raise AttackImpossible(
            "the disclosed anchor does not fit the uploaded one",
            field="anchor",
            expected=B.shape,
            got=A.shape,
        )
    a, b = A.mean(axis=0), B.mean(axis=0)
    return AnchorPair(A - a, a, B - b, b)


def _disclosed_anchor(view: CollusionView) -> FloatArray | None:
    found = (disclosure.anchor for disclosure in view.disclosures.values())
    return next((anchor for anchor in found if anchor is not None), None)


def disclosed_transform(view: CollusionView) -> RigidTransform | None:
    """Return the first transform that a colluder discloses, or None."""
    found = (disclosure.transform for disclosure in view.disclosures.values())
    return next((transform for transform in found if transform is not None), None)


def prior_mean(view: CollusionView) -> tuple[FloatArray, str] | None:
    """Return the best guess of the target's mean record, shape (d,), and where it is from.

    The colluders' own records come first, all rows alike; public records if there are none.
    """
    own = [d.records for d in view.disclosures.values() if d.records is not None]
    if own:
        return np.concatenate(own).mean(axis=0), "colluders' records"
    if view.public.records is not None:
        return view.public.records.mean(axis=0), "public records"
    return None
