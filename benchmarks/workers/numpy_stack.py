"""numpy as one would write it: a thin SVD of the r x pd stack, then one SVD a block."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.workers.anchors import Arrays, centred, run


def rotations(anchors: Arrays) -> Sequence[Any]:
    d = anchors[0].shape[1]
    right = np.linalg.svd(np.hstack(centred(anchors)), full_matrices=False)[2][:d].T
    return [_polar(right[i : i + d]) for i in range(0, len(right), d)]


def _polar(block: Any) -> Any:
    left, _, right = np.linalg.svd(block)
    return left @ right


if __name__ == "__main__":
    run(rotations)
