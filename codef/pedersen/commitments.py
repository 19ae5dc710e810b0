"""Commitments to a vector of counts, and the scalars that blind them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from collude.codef.numeric.checks import refuse
from collude.codef.pedersen.group import ORDER, checked_point, hash_to_group, multiply, summed
from collude.codef.secagg.counts import checked_counts
from collude.common.randomness import Entropy
from collude.common.secret import Secret

BLINDING_TAG = "codef/v1/pedersen/H"
PERSON_TAG = "codef/v1/pedersen/G"
MOST_COUNT = 2**64 - 1
_WIDE_BYTES = 64
"""Reduced modulo l, that many uniform bytes are uniform but for 2^-259."""
_KEPT = 1 << 17


@lru_cache(maxsize=1)
def blinding_generator() -> bytes:
    """Return H."""
    return hash_to_group(BLINDING_TAG, 0)


@lru_cache(maxsize=_KEPT)
def generator(person: int) -> bytes:
    """Return G_p of a person, by index from 0; the same in every session."""
    return hash_to_group(PERSON_TAG, person)


@dataclass(frozen=True, slots=True, repr=False)
class Blinding(Secret):
    """The secret scalar of one commitment; used for another one, it tells how counts changed.

    Attributes:
        scalar: r, from 1 to l - 1.
    """

    scalar: int

    def __post_init__(self) -> None:
        """Check the range.

        Raises:
            ParameterInvalid: it is not from 1 to l - 1; its value is not shown.
        """
        if not isinstance(self.scalar, int) or not 1 <= self.scalar < ORDER:
            refuse("blinding", "a whole number from 1 to l - 1", "another")

    @classmethod
    def drawn(cls, entropy: Entropy, session: bytes) -> Self:
        """Return the blinding of a silo's one commitment of a session, sid_commit."""
        wide = entropy.secret(f"pedersen/{session.hex()}/blinding", length=_WIDE_BYTES)
        return cls(int.from_bytes(wide, "little") % ORDER)


def commit(counts: ArrayLike, blinding: Blinding) -> bytes:
    """Return r H + sum_p v[p] G_p: 32 bytes. A count of zero costs nothing.

    Args:
        counts: shape (m,), whole numbers from 0 to 2^64 - 1.
        blinding: r, drawn for this commitment.

    Raises:
        ParameterInvalid: the counts are not as said.
    """
    values = np.asarray(counts)
    return opened(checked_counts(values, values.size, MOST_COUNT), blinding.scalar)


def opened(counts: Iterable[int | np.uint64], scalar: int) -> bytes:
    """Return r H + sum_p v[p] G_p for any whole numbers; may be the identity."""
    terms = (
        multiply(int(count), generator(person)) for person, count in enumerate(counts) if count
    )
    return summed((multiply(scalar, blinding_generator()), *terms))


def add(commitments: Iterable[bytes]) -> bytes:
    """Return the commitment to the sum: 32 bytes.

    Raises:
        ValueError: one is not an element of the group other than the identity.
    """
    return summed([checked_point(commitment) for commitment in commitments])
