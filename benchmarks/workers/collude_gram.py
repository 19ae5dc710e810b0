"""How near the Gram matrix comes to what the machine can do: its flop rate over a plain product's.

    python -m benchmarks.workers.collude_gram R D COUNT N

Counted are the r (r + 1) d operations that a symmetric product needs, not twice as many.
"""

import sys

import numpy as np

from benchmarks.workers.timing import measured, say
from collude.common.geometry.alignment import CentredAnchor, SpectralAccumulator


def main() -> None:
    r, d, count, n = map(int, sys.argv[1:])
    rng = np.random.default_rng(0)
    anchors = [CentredAnchor(rng.standard_normal((r, d)), np.zeros(d), 1.0) for _ in range(count)]
    square = rng.standard_normal((n, n))
    accumulator = SpectralAccumulator(r, d)

    def gram() -> None:
        for i, anchor in enumerate(anchors):
            accumulator.add_accepted(anchor, str(i))

    measured(gram)  # the first call's pages are new
    figures = measured(gram)[1]
    limit = measured(lambda: square @ square)[1]
    rate = r * (r + 1) * d * count / figures["cpu"]
    say({**figures, "fraction": rate * limit["cpu"] / (2 * n**3)})


if __name__ == "__main__":
    main()
