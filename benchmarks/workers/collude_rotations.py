"""Ours: the spectral alignment, and every participant's rotation."""

from collections.abc import Sequence
from typing import Any

from benchmarks.workers.anchors import Arrays, run
from collude.analyst.alignment import align_spectral


def rotations(anchors: Arrays) -> Sequence[Any]:
    return list(align_spectral(anchors).rotations)


if __name__ == "__main__":
    run(rotations)
