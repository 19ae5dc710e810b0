"""From the participants' joint seed to the anchor and to C-GDP's common transform.

Every participant expands the seed for itself, so the expansion is frozen: a change of any line
below, or of `common/normals`, breaks running federations, and
`tests/vectors/anchor_expansion.json` notices it.

    stream   = SHAKE-256(TAG || purpose || 0 || r || d || seed), read as little-endian uint64
               words w_0, w_1, ...; r and d as 4 bytes, big-endian
    uniforms = (w >> 11) / 2^53: 53 bits, exact in float64
    normals  = Box-Muller on the pairs (w_0, w_1), (w_2, w_3), ...:
               sqrt(-2 ln(1 - u_0)) * (cos, sin)(2 pi u_1)
    anchor   = sign-corrected Q of the centred r x d matrix of normals, row by row
    transform: Haar O from the first d x d normals, psi from the next d

Not numpy's own normals: library streams change between versions. Box-Muller rather than an
inverse distribution function because it needs no table of coefficients and any language has
its three functions; these may differ in the last bit between machines, and so may a QR, which
is why parties compare the hash of the integer stream and never a hash of A.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from collude.common.geometry.anchors import anchor_from_gaussian, require_anchor_shape
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.haar import sign_corrected_q
from collude.common.geometry.rigid import RigidTransform
from collude.common.normals import normals

JOINT_SEED_BYTES = 32

_TAG = b"collude/v1/expand/"
_ANCHOR = b"anchor"
_TRANSFORM = b"common-transform"
_WORD_BYTES = 8


def expand_anchor(seed: bytes, r: int, d: int) -> FloatArray:
    """Return the anchor A, shape (r, d), of a 32-byte joint seed.

    Raises:
        ValueError: another seed length, d < 1 or r < d + 1.
    """
    require_anchor_shape(r, d)
    drawn = normals(_words(seed, _ANCHOR, r, d))[: r * d]
    return anchor_from_gaussian(drawn.reshape(r, d))


def expand_transform(seed: bytes, d: int) -> RigidTransform:
    """Return C-GDP's common secret transform of width d of a 32-byte joint seed.

    Raises:
        ValueError: another seed length or d < 1.
    """
    drawn = normals(_words(seed, _TRANSFORM, d + 1, d))[: d * (d + 1)]
    return RigidTransform(sign_corrected_q(drawn[: d * d].reshape(d, d)), drawn[d * d :])


def anchor_stream_hash(seed: bytes, r: int, d: int) -> bytes:
    """Return SHA-256 of the anchor's integer stream: what participants compare instead of A.

    Raises:
        ValueError: another seed length, d < 1 or r < d + 1.
    """
    require_anchor_shape(r, d)
    return hashlib.sha256(_words(seed, _ANCHOR, r, d).astype("<u8").tobytes()).digest()


def transform_stream_hash(seed: bytes, d: int) -> bytes:
    """Return SHA-256 of the common transform's integer stream.

    Raises:
        ValueError: another seed length or d < 1.
    """
    return hashlib.sha256(_words(seed, _TRANSFORM, d + 1, d).astype("<u8").tobytes()).digest()


def _words(seed: bytes, purpose: bytes, r: int, d: int) -> NDArray[np.uint64]:
    """Return the first r d words of the stream, and one more if that number is odd.

    Raises:
        ValueError: another seed length or d < 1.
    """
    if len(seed) != JOINT_SEED_BYTES:
        raise ValueError(f"a joint seed has {JOINT_SEED_BYTES} bytes, not {len(seed)}")
    if d < 1:
        raise ValueError(f"the width must be at least 1, not {d}")
    shape = r.to_bytes(4, "big") + d.to_bytes(4, "big")
    source = hashlib.shake_256(_TAG + purpose + b"\x00" + shape + seed)
    even = r * d + r * d % 2
    return np.frombuffer(source.digest(_WORD_BYTES * even), dtype="<u8").astype(np.uint64)
