"""Ours, end to end: every participant's anchor in the common coordinates."""

from collections.abc import Sequence
from typing import Any

from benchmarks.workers.anchors import Arrays, run
from collude.analyst.alignment import align_spectral


def aligned(anchors: Arrays) -> Sequence[Any]:
    alignment = align_spectral(anchors)
    return [alignment.transform(i, anchor) for i, anchor in enumerate(anchors)]


if __name__ == "__main__":
    run(aligned)
