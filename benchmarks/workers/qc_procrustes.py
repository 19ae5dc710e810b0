"""qc-procrustes: procrustes.generalized as it stands."""

from collections.abc import Sequence
from typing import Any

from procrustes import generalized

from benchmarks.workers.anchors import Arrays, centred, run


def aligned(anchors: Arrays) -> Sequence[Any]:
    moved: Sequence[Any] = generalized(centred(anchors))[0]
    return moved


if __name__ == "__main__":
    run(aligned)
