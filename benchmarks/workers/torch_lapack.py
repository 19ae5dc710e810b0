"""torch's LAPACK on the work of `numpy_lapack`.

python -m benchmarks.workers.torch_lapack R D
"""

import sys

import numpy as np
import torch

from benchmarks.workers.timing import measured, say


def main() -> None:
    rng = np.random.default_rng(0)
    r, d = map(int, sys.argv[1:])
    gram = torch.from_numpy(np.cov(rng.standard_normal((r, 2 * r))))
    blocks = torch.from_numpy(rng.standard_normal((10, d, d)))
    torch.linalg.svd(torch.linalg.eigh(torch.eye(8, dtype=torch.float64))[1])
    say(measured(lambda: (torch.linalg.eigh(gram), torch.linalg.svd(blocks)))[1])


if __name__ == "__main__":
    main()
