"""Standard normals out of random words, by our own fixed transform.

Not numpy's own: library streams change between versions. Box-Muller rather than an inverse
distribution function because it needs no table of coefficients and any language has its three
functions.
"""

import numpy as np
from numpy.typing import NDArray

_UNUSED_BITS = np.uint64(11)
_RESOLUTION = 2.0**-53


def normals(words: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return as many standard normals as there are words, an even number.

        uniform u = (w >> 11) / 2^53: 53 bits, exact in float64
        normals   = sqrt(-2 ln(1 - u_0)) * (cos, sin)(2 pi u_1) on the pairs (w_0, w_1), ...

    Source: G. Box and M. Muller, A note on the generation of random normal deviates, Annals of
    Mathematical Statistics 29 (1958).
    """
    uniforms = (words >> _UNUSED_BITS).astype(np.float64) * _RESOLUTION
    radius = np.sqrt(-2.0 * np.log(1.0 - uniforms[0::2]))  # 1 - u is exact and never 0
    angle = 2.0 * np.pi * uniforms[1::2]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()
