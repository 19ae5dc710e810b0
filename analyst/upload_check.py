"""Is this an upload that can be aligned and trained on? Each refusal names party and field."""

from collude.analyst.r0_join import Opened
from collude.common.errors import UploadAnchorWrong, UploadLabelsWrong
from collude.common.geometry.alignment import accept_anchor, accept_records
from collude.common.geometry.arrays import FloatArray
from collude.common.protocol.messages import Upload


def check_upload(party: str, upload: Upload, opened: Opened) -> None:
    """Return if the upload fits what was agreed in the join.

    Raises:
        UploadLabelsWrong: labels of another length.
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
    _check_anchor(party, upload.anchor, opened)


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
