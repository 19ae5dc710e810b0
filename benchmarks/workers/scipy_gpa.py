"""Classical generalised Procrustes analysis: all to the mean, the mean anew, until it rests."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import orthogonal_procrustes

from benchmarks.workers.anchors import Arrays, centred, run

TOLERANCE = 1e-7
"""Of the mean's squared change, as qc-procrustes takes it."""
ITERATIONS = 200


def aligned(anchors: Arrays) -> Sequence[Any]:
    uploads = centred(anchors)
    mean = uploads[0]
    for _ in range(ITERATIONS):
        moved = [upload @ orthogonal_procrustes(upload, mean)[0] for upload in uploads]
        before, mean = mean, np.mean(moved, axis=0)
        if np.square(mean - before).sum() < TOLERANCE:
            break
    return moved


if __name__ == "__main__":
    run(aligned)
