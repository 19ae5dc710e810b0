"""Round 4, the analyst alone: bring all uploads into one coordinate system."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from collude.analyst.alignment import (
    Alignment,
    align_power,
    align_spectral,
    align_to_reference,
)
from collude.common.geometry.arrays import FloatArray
from collude.common.protocol.messages import Upload

ESTIMATORS: Mapping[str, Callable[[Sequence[FloatArray], Sequence[str]], Alignment]] = {
    "reference": lambda anchors, names: align_to_reference(anchors, names=names),
    "spectral": lambda anchors, names: align_spectral(anchors, names=names),
    "power": lambda anchors, names: align_power(anchors, names=names),
}


@dataclass(frozen=True, slots=True)
class Aligned:
    """Rows in common coordinates by participant, and the alignment or None where there is none."""

    rows: Mapping[str, FloatArray]
    alignment: Alignment | None
    names: tuple[str, ...]


def align(uploads: Mapping[str, Upload], estimator: str) -> Aligned:
    """Return the uploads' rows in common coordinates; as they are where no anchor was sent.

    Raises:
        UploadRejected: an anchor cannot be aligned; names the party.
    """
    names = tuple(uploads)
    anchors = [u.anchor for u in uploads.values() if u.anchor is not None]
    if not anchors:
        return Aligned({name: uploads[name].private for name in names}, None, names)
    alignment = ESTIMATORS[estimator](anchors, names)
    rows = {name: alignment.transform(i, uploads[name].private) for i, name in enumerate(names)}
    return Aligned(rows, alignment, names)
