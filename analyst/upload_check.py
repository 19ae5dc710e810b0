"""Is this an upload that can be aligned and trained on? Each refusal names party and field."""

import numpy as np

from collude.analyst.r0_join import Opened
from collude.common.errors import UploadRejected
from collude.common.geometry.arrays import FloatArray
from collude.common.protocol.messages import Upload


def check_upload(party: str, upload: Upload, opened: Opened) -> None:
    """Return if the upload fits what was agreed in the join.

    Raises:
        UploadRejected: no rows, another d or r, labels of another length, an anchor missing or
            unexpected, NaN or infinity, or an anchor of deficient rank.
    """
    rows, width = upload.private.shape
    _require(party, "private", rows >= 1, "at least one row", rows)
    _require(party, "private", width == opened.width, f"width {opened.width}", f"width {width}")
    _require(party, "labels", len(upload.labels) == rows, f"{rows} labels", len(upload.labels))
    _finite(party, "private", upload.private)
    _check_anchor(party, upload.anchor, opened)


def _check_anchor(party: str, anchor: FloatArray | None, opened: Opened) -> None:
    expected = (opened.anchor_rows, opened.width) if opened.anchor_rows else None
    got = None if anchor is None else anchor.shape
    _require(party, "anchor", got == expected, f"shape {expected}", f"shape {got}")
    if anchor is None:
        return
    _finite(party, "anchor", anchor)
    centred = anchor - anchor.mean(axis=0)
    rank = int(np.linalg.matrix_rank(centred))
    _require(party, "anchor", rank == opened.width, f"centred rank {opened.width}", rank)


def _finite(party: str, field: str, values: FloatArray) -> None:
    bad = int(values.size - np.isfinite(values).sum())
    _require(party, field, bad == 0, "finite numbers", f"{bad} of {values.size} NaN or infinite")


def _require(party: str, field: str, ok: bool, expected: object, got: object) -> None:  # noqa: FBT001 -- the condition reads first
    if not ok:
        raise UploadRejected(
            "the upload was refused and nothing of it was kept",
            party=party,
            field=field,
            expected=expected,
            got=got,
        )
