"""numpy's LAPACK: one symmetric eigenproblem of R and ten SVDs of D, as an alignment has them.

python -m benchmarks.workers.numpy_lapack R D
"""

import sys

import numpy as np

from benchmarks.workers.timing import measured, say


def main() -> None:
    rng = np.random.default_rng(0)
    r, d = map(int, sys.argv[1:])
    gram, blocks = np.cov(rng.standard_normal((r, 2 * r))), rng.standard_normal((10, d, d))
    np.linalg.svd(np.linalg.eigh(np.eye(8))[1])
    say(measured(lambda: (np.linalg.eigh(gram), np.linalg.svd(blocks)))[1])


if __name__ == "__main__":
    main()
