"""Ours: the joint estimate alone, after which a rotation is computed when it is asked for."""

from collections.abc import Sequence
from typing import Any

from benchmarks.workers.anchors import Arrays, run
from collude.analyst.alignment import align_spectral


def joint(anchors: Arrays) -> Sequence[Any]:
    return align_spectral(anchors).rotations


if __name__ == "__main__":
    run(joint)
