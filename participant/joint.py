"""What the participants make of the joint seed: the anchor A, or C-GDP's common transform."""

from dataclasses import dataclass

from collude.common.geometry import RigidTransform
from collude.common.geometry.anchors import check_anchor
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.expansion import (
    anchor_stream_hash,
    expand_anchor,
    expand_transform,
    transform_stream_hash,
)
from collude.common.methods import traits_of
from collude.common.secret import Secret


@dataclass(frozen=True, slots=True, repr=False)
class JointMaterial(Secret):
    """A, shape (r, d), or the common transform, or neither; secret from the analyst."""

    anchor: FloatArray | None
    transform: RigidTransform | None


def joint_material(method: str, seed: bytes | None, rows: int, width: int) -> JointMaterial:
    """Return what `method` makes of the 32-byte joint seed; nothing for methods without one.

    Args:
        method: a method of Table I.
        seed: the joint seed, or None where the method has no anchor round.
        rows: r, or 0 where the method has no anchor.
        width: d.

    Raises:
        AnchorInvalid: the anchor fails the participant's own check.
    """
    traits = traits_of(method)
    if seed is None:
        return JointMaterial(None, None)
    anchor = check_anchor(expand_anchor(seed, rows, width)) if traits.anchor else None
    transform = expand_transform(seed, width) if traits.common_secret else None
    return JointMaterial(anchor, transform)


def material_hash(method: str, seed: bytes, rows: int, width: int) -> bytes:
    """Return the 32-byte hash of the integer stream that `joint_material` is made of."""
    if traits_of(method).anchor:
        return anchor_stream_hash(seed, rows, width)
    return transform_stream_hash(seed, width)
