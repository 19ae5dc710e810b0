"""edwards25519 in whole numbers, and Pedersen commitments on it. It shares no code with us.

Points are pairs (x, y) on -x^2 + y^2 = 1 + d x^2 y^2; the addition law is complete, so there is one
formula. Source: RFC 8032, section 5.1; Elligator 2: RFC 9380, section 6.7.1 and appendix D.1.
"""

import hashlib
from functools import reduce

from testkit.independent import joined

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
A = 486662
ROOT = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1)


def add(one, two):
    (x, y), (u, v) = one, two
    k = D * x * y * u * v % P
    return (
        (x * v + y * u) * pow(1 + k, -1, P) % P,
        (y * v + x * u) * pow(1 - k, -1, P) % P,
    )


def multiply(scalar, point):
    total = IDENTITY
    for bit in bin(scalar)[2:]:
        total = add(total, total)
        if bit == "1":
            total = add(total, point)
    return total


def encode(point):
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def square_root(value):
    """A root of value modulo P, or None."""
    root = pow(value, (P + 3) // 8, P)
    for found in (root, root * ROOT % P):
        if found * found % P == value % P:
            return found
    return None


def with_sign(y, sign):
    """The point with this y whose x has this parity, or None."""
    x = square_root((y * y - 1) * pow(D * y * y + 1, -1, P))
    if x is None:
        return None
    return (x if x & 1 == sign else -x % P), y


def elligator(half):
    """The point of 32 bytes: v = (u - 1)/(u + 1) for u on the Montgomery curve, times 8."""
    number = int.from_bytes(half, "little")
    sign, r = number >> 255, number % 2**255
    u = -A * pow(1 + 2 * r * r, -1, P) % P
    if square_root(u**3 + A * u * u + u) is None:
        u = (-u - A) % P
    return multiply(8, with_sign((u - 1) * pow(u + 1, -1, P) % P, sign))


def generator(label, index):
    hashed = hashlib.sha512(joined(f"codef/v1/pedersen/{label}", index)).digest()
    return add(elligator(hashed[:32]), elligator(hashed[32:]))


def commitment(counts, blinding):
    """r H + sum v[p] G_p, encoded; counts and r are any whole numbers."""
    terms = [multiply(v % ORDER, generator("G", p)) for p, v in enumerate(counts)]
    return encode(reduce(add, terms, multiply(blinding % ORDER, generator("H", 0))))


def small_order():
    """The eight points whose order divides 8."""
    y = next(
        y for y in range(2, 99) if (p := with_sign(y, 0)) and multiply(4 * ORDER, p) != IDENTITY
    )
    generated = multiply(ORDER, with_sign(y, 0))
    return [multiply(k, generated) for k in range(8)]
