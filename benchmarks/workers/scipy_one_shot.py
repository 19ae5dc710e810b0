"""Each anchor to the first participant's, once: it solves less, for there is no joint estimate."""

from collections.abc import Sequence
from typing import Any

from scipy.linalg import orthogonal_procrustes

from benchmarks.workers.anchors import Arrays, centred, run


def aligned(anchors: Arrays) -> Sequence[Any]:
    first, *others = centred(anchors)
    return [first, *(other @ orthogonal_procrustes(other, first)[0] for other in others)]


if __name__ == "__main__":
    run(aligned)
