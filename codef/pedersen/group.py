"""The group of prime order l inside edwards25519, by libsodium. Elements are their encodings.

The curve has 8 l points, and commitments live among l of them. With a part of small order t added,
C + t would be another encoding that opens to the same counts wherever somebody multiplies by the
cofactor, and fails wherever somebody does not: parties would disagree about one ledger. Therefore:

- an element from outside must be in its only encoding, on the curve, in the subgroup of order l,
  and not the identity (`checked_point`); all else is refused before anything is computed with it;
- generators are multiplied by the cofactor when they are made (`hash_to_group`);
- nothing is clamped: clamping would multiply by another scalar than the one given;
- the product with zero is the identity, which libsodium's multiplication refuses to return.

Sums and products of elements of the subgroup stay in it, and libsodium encodes in one way, so equal
encodings are equal elements. libsodium multiplies in constant time; that a count is zero, and so
costs nothing, can be seen from the time that a commitment takes.
"""

import hashlib
from collections.abc import Iterable
from functools import reduce

from collude.common.encoding import encode
from collude.common.errors import ExtraMissing

try:
    from nacl import bindings as sodium
except ImportError as _error:
    raise ExtraMissing(
        "Pedersen commitments need PyNaCl, which is not installed",
        field="pedersen",
        hint='Install the extra "pedersen": pip install "collude[pedersen]"',
    ) from _error

POINT_BYTES = 32
ORDER = 2**252 + 27742317777372353535851937790883648493
"""l, the number of elements."""
IDENTITY = bytes([1]) + bytes(POINT_BYTES - 1)


def checked_point(encoded: bytes) -> bytes:
    """Return `encoded` if it is an element other than the identity, in its only encoding.

    Raises:
        ValueError: it is not.
    """
    if len(encoded) != POINT_BYTES:
        raise ValueError(f"a point has {POINT_BYTES} bytes, not {len(encoded)}")
    if not sodium.crypto_core_ed25519_is_valid_point(bytes(encoded)):
        raise ValueError("a point is not in its only encoding, or not of prime order")
    return bytes(encoded)


def summed(points: Iterable[bytes]) -> bytes:
    """Return the sum of elements; of none it is the identity."""
    return reduce(sodium.crypto_core_ed25519_add, points, IDENTITY)


def multiply(scalar: int, point: bytes) -> bytes:
    """Return `scalar` times an element; the scalar is any whole number, taken modulo l."""
    reduced = scalar % ORDER
    if reduced == 0 or point == IDENTITY:
        return IDENTITY
    return sodium.crypto_scalarmult_ed25519_noclamp(reduced.to_bytes(32, "little"), point)


def hash_to_group(tag: str, index: int) -> bytes:
    """Return an element of which nobody knows the logarithm to any other.

    SHA-512 over lp(tag, index) gives two halves of 32 bytes; each is mapped to the curve by
    Elligator 2 and multiplied by the cofactor; the sum of both is spread evenly over the group.

    Source: R. Brier et al., Efficient indifferentiable hashing into ordinary elliptic curves,
    CRYPTO 2010, section 7; map: D. J. Bernstein et al., Elligator, CCS 2013.
    """
    hashed = hashlib.sha512(encode(tag, index)).digest()
    halves = hashed[:POINT_BYTES], hashed[POINT_BYTES:]
    return summed(sodium.crypto_core_ed25519_from_uniform(half) for half in halves)
