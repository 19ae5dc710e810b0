"""The thin SVD of the r x pd stack alone, without the blocks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.workers.anchors import Arrays, centred, run


def singular(anchors: Arrays) -> Sequence[Any]:
    return np.linalg.svd(np.hstack(centred(anchors)), full_matrices=False)


if __name__ == "__main__":
    run(singular)
