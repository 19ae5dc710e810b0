"""Numbers modulo 2^w, in the smallest unsigned words that hold them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from collude.codef.numeric.checks import refuse
from collude.codef.secagg.prg import Words

LEAST_BITS, MOST_BITS = 8, 64


@dataclass(frozen=True, slots=True)
class Modulus:
    """Arithmetic modulo 2^bits. Words wrap modulo their own width, a multiple of 2^bits.

    Attributes:
        bits: w, from 8 to 64.
    """

    bits: int

    def __post_init__(self) -> None:
        """Check the width.

        Raises:
            ParameterInvalid: it is not from 8 to 64.
        """
        if not isinstance(self.bits, int) or not LEAST_BITS <= self.bits <= MOST_BITS:
            refuse("modulus_bits", f"a whole number from {LEAST_BITS} to {MOST_BITS}", self.bits)

    @property
    def dtype(self) -> "np.dtype[np.unsignedinteger]":
        """The little-endian words: of 1, 2, 4 or 8 bytes."""
        size = next(size for size in (1, 2, 4, 8) if 8 * size >= self.bits)
        return np.dtype(f"<u{size}")

    def most_count(self, silos: int) -> int:
        """Return the largest count of which that many silos' sum does not wrap."""
        return ((1 << self.bits) - 1) // silos

    def words(self, values: ArrayLike) -> Words:
        """Return a copy of whole numbers below 2^bits as words."""
        return np.array(values, dtype=self.dtype)

    def reduce(self, words: Words) -> None:
        """Bring words below 2^bits, in place."""
        if self.bits < 8 * self.dtype.itemsize:
            np.bitwise_and(words, self.dtype.type((1 << self.bits) - 1), out=words)

    def parse(self, content: bytes, length: int) -> Words:
        """Return the `length` words that `content` holds.

        Raises:
            ValueError: it has another length, or a word is 2^bits or more.
        """
        if len(content) != length * self.dtype.itemsize:
            raise ValueError(f"{length} words of {self.dtype.itemsize} bytes were expected")
        words: Words = np.frombuffer(content, dtype=self.dtype)
        if self.bits < 8 * self.dtype.itemsize and int(words.max()) >> self.bits:
            raise ValueError(f"a word is 2^{self.bits} or more")
        return words
