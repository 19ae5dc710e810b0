"""Shamir's secret sharing over GF(2^255 - 19).

Secrets are 31 bytes, so that every one of them is a field element. The weights of a set of points
are computed once and serve every secret that is put together from shares at these points.

Python's integers do not take constant time; shares are made and joined in the memory of their
owner, where nobody measures.

Source: A. Shamir, How to share a secret, Communications of the ACM 22(11), 1979.
"""

import math
from collections.abc import Sequence
from itertools import accumulate

from collude.codef.secagg.prg import keystream

PRIME = 2**255 - 19
SECRET_BYTES = 31
SHARE_BYTES = 32
_DRAWN_BYTES = 48
"""128 bits more than the field has: reduced, they are uniform but for 2^-128."""


def split(secret: bytes, threshold: int, points: Sequence[int], key: bytes) -> list[bytes]:
    """Return the share at each point; any `threshold` of them give the secret, fewer nothing.

    Args:
        secret: 31 bytes.
        threshold: 1 or more; the polynomial has degree threshold - 1.
        points: distinct, from 1.
        key: 32 fresh secret bytes, of which the coefficients are made.

    Raises:
        ValueError: the secret has another length, or the points are not as said.
    """
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a secret has {SECRET_BYTES} bytes, not {len(secret)}")
    _check_points(points)
    stream = keystream(key, _DRAWN_BYTES * (threshold - 1))
    drawn = [
        int.from_bytes(stream[at : at + _DRAWN_BYTES], "little") % PRIME
        for at in range(0, len(stream), _DRAWN_BYTES)
    ]
    falling = [*drawn, int.from_bytes(secret, "little")]
    return [_value(falling, point).to_bytes(SHARE_BYTES, "little") for point in points]


def _value(falling: Sequence[int], point: int) -> int:
    value = 0
    for coefficient in falling:  # points are small: reducing once, at the end, is quicker
        value = value * point + coefficient
    return value % PRIME


def _check_points(points: Sequence[int]) -> None:
    if len(set(points)) != len(points) or not all(0 < point < PRIME for point in points):
        raise ValueError("points must be distinct, and from 1 to the prime")


def parse_share(share: bytes) -> int:
    """Return the field element that a share is.

    Raises:
        ValueError: it is none, or not in its only form: 32 bytes, little-endian, reduced.
    """
    value = int.from_bytes(share, "little")
    if len(share) != SHARE_BYTES or value >= PRIME:
        raise ValueError("a share must be 32 bytes, little-endian, below 2^255 - 19")
    return value


def lagrange(points: Sequence[int]) -> list[int]:
    """Return the weight of each point for the value at 0: prod_{j != i} x_j / (x_j - x_i).

    Raises:
        ValueError: the points are not distinct and from 1.
    """
    _check_points(points)
    every = math.prod(points)
    below = [x * math.prod(y - x for y in points if y != x) % PRIME for x in points]
    return [every * inverse % PRIME for inverse in _inverses(below)]


def _inverses(values: Sequence[int]) -> list[int]:
    """Return the inverse of each; one inversion serves all of them."""
    products = list(accumulate(values, lambda product, value: product * value % PRIME, initial=1))
    inverse = pow(products.pop(), -1, PRIME)  # of all up to the value at hand
    found = []
    for value, before in zip(reversed(values), reversed(products), strict=True):
        found.append(inverse * before % PRIME)
        inverse = inverse * value % PRIME
    return found[::-1]


def combine(weights: Sequence[int], shares: Sequence[int]) -> bytes:
    """Return the 31-byte secret of shares at the points whose weights these are.

    Raises:
        ValueError: what comes out is no secret: a share is not of this polynomial.
    """
    value = sum(w * s for w, s in zip(weights, shares, strict=True)) % PRIME
    if value.bit_length() > 8 * SECRET_BYTES:
        raise ValueError("the shares do not give a secret")
    return value.to_bytes(SECRET_BYTES, "little")
