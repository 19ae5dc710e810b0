"""Round 4, the analyst alone: leave out what nobody honest sent, align the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from collude.analyst.alignment import Alignment
from collude.common import plugins
from collude.common.geometry.alignment import Dropped, Screening, screen_anchors
from collude.common.geometry.alignment.consensus import consensus, rotation_onto
from collude.common.geometry.arrays import FloatArray
from collude.common.protocol.messages import AlignmentMap, Upload


class Estimator(Protocol):
    """What an entry point of the group `collude.alignments` must be."""

    def __call__(self, anchors: Sequence[FloatArray], *, names: Sequence[str]) -> Alignment:
        """Return the alignment of (r, d) anchors; errors name the party."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """What the alignment leaves.

    Attributes:
        rows: of those whose uploads were kept, in common coordinates; to train on.
        maps: of every participant, whether kept or not; None where no anchor was sent.
        alignment: of the kept ones, or None where no anchor was sent.
        names: the kept ones, in the order of `alignment`.
        screened: whose uploads were left out, and why.
    """

    rows: Mapping[str, FloatArray]
    maps: Mapping[str, AlignmentMap | None]
    alignment: Alignment | None
    names: tuple[str, ...]
    screened: tuple[Dropped, ...] = ()


def align(uploads: Mapping[str, Upload], estimator: str, *, screen: bool = True) -> Aligned:
    """Return the uploads' rows in common coordinates; as they are where no anchor was sent.

    Who is screened out has no part in the alignment and gives no rows, but gets the map that
    fits its anchor best to what the others agree on: an honest party loses its say, no more.

    Args:
        uploads: by participant.
        estimator: a registered alignment.
        screen: leave out uploads that no honest participant would have sent.

    Raises:
        UploadRejected: an anchor cannot be aligned; names the party.
    """
    anchors = {name: u.anchor for name, u in uploads.items() if u.anchor is not None}
    if not anchors:
        rows = {name: upload.private for name, upload in uploads.items()}
        return Aligned(rows, dict.fromkeys(uploads), None, tuple(uploads))
    found = _screened(anchors) if screen else Screening(tuple(range(len(anchors))), ())
    everybody = tuple(anchors)
    kept = {everybody[i]: anchors[everybody[i]] for i in found.kept}
    names = tuple(kept)
    registered = cast("Estimator", plugins.find(plugins.ALIGNMENTS, estimator))
    alignment = registered(list(kept.values()), names=names)
    rows = {name: alignment.transform(i, uploads[name].private) for i, name in enumerate(names)}
    maps = _maps(alignment, kept) | _maps_of_dropped(alignment, kept, found.dropped, anchors)
    return Aligned(rows, maps, alignment, names, found.dropped)


def _screened(anchors: Mapping[str, FloatArray]) -> Screening:
    return screen_anchors(list(anchors.values()), tuple(anchors))


def _maps(alignment: Alignment, kept: Mapping[str, FloatArray]) -> dict[str, AlignmentMap | None]:
    return {
        name: AlignmentMap(alignment.rotations[i], alignment.means[i], alignment.offset)
        for i, name in enumerate(kept)
    }


def _maps_of_dropped(
    alignment: Alignment,
    kept: Mapping[str, FloatArray],
    dropped: Sequence[Dropped],
    anchors: Mapping[str, FloatArray],
) -> dict[str, AlignmentMap | None]:
    if not dropped:
        return {}
    agreed = consensus(alignment, list(kept.values()))
    return {
        drop.party: AlignmentMap(*rotation_onto(agreed, anchors[drop.party]), alignment.offset)
        for drop in dropped
    }
