"""Is this an upload that can be aligned and trained on? Each refusal names party and field."""

from collections.abc import Mapping

import numpy as np

from collude.analyst.r0_join import Opened
from collude.common.errors import UploadAnchorWrong, UploadLabelsWrong, UploadRejected
from collude.common.evaluation import MOST_CLASSES
from collude.common.geometry.alignment import accept_anchor, accept_records
from collude.common.geometry.arrays import FloatArray
from collude.common.protocol.messages import Upload


def check_upload(party: str, upload: Upload, opened: Opened) -> None:
    """Return if the upload fits what was agreed in the join.

    Raises:
        UploadLabelsWrong: labels of another length, or of too many classes.
        UploadAnchorWrong: an anchor missing or unexpected.
        UploadRejected: no rows, another d or r, NaN or infinity, numbers that cannot be squared,
            or an anchor of deficient rank; each by its own class.
    """
    rows = len(accept_records(upload.private, opened.width, party))
    if len(upload.labels) != rows:
        raise UploadLabelsWrong(
            "the labels are not one for each record",
            party=party,
            field="labels",
            expected=f"{rows} labels",
            got=len(upload.labels),
        )
    _refuse_over(party, len(np.unique(upload.labels)))
    _check_anchor(party, upload.anchor, opened)


def check_noise(party: str, upload: Upload, noise: str | None) -> None:
    """Return if the upload says which noise CoDef gave it, and that alone.

    It is taken as said: nobody but the participant knows, and one that adds less harms itself.

    Args:
        party: the sender.
        upload: its upload.
        noise: the field of the noise that CoDef sets; None where there is no CoDef.

    Raises:
        UploadRejected: a noise is missing, is none, or is named where CoDef sets none.
    """
    for field in ("anchor_noise", "private_noise"):
        level = getattr(upload, field)
        wanted = field == noise
        if (level is not None) != wanted or (wanted and not 0 < level < np.inf):
            raise UploadRejected(
                "does not say how much noise CoDef gave it"
                if wanted
                else "names a noise that CoDef does not set",
                party=party,
                field=field,
                expected="a finite number above 0" if wanted else "none",
                got="none" if level is None else level,
            )


def check_classes(uploads: Mapping[str, Upload]) -> None:
    """Return if the uploads together have no more classes than a model may tell apart.

    Raises:
        UploadLabelsWrong: they have more; names the party with the most.
    """
    classes = {name: np.unique(upload.labels) for name, upload in uploads.items()}
    together = len(np.unique(np.concatenate(list(classes.values()))))
    _refuse_over(max(classes, key=lambda name: len(classes[name])), together)


def _refuse_over(party: str, classes: int) -> None:
    if classes > MOST_CLASSES:
        raise UploadLabelsWrong(
            "the labels are of too many classes",
            party=party,
            field="labels",
            expected=f"at most {MOST_CLASSES} classes",
            got=classes,
        )


def _check_anchor(party: str, anchor: FloatArray | None, opened: Opened) -> None:
    if (anchor is not None) != (opened.anchor_rows > 0):
        raise UploadAnchorWrong(
            "the anchor is missing" if anchor is None else "the method has no anchor",
            party=party,
            field="anchor",
            expected=f"{opened.anchor_rows} rows" if anchor is None else "none",
            got="none" if anchor is None else f"{len(anchor)} rows",
        )
    if anchor is not None:
        accept_anchor(anchor, (opened.anchor_rows, opened.width), party)
