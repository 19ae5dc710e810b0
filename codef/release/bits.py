"""Random bits, drawn as they are needed: each question's own stream."""

from typing import Protocol

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

from collude.codef.numeric.checks import refuse
from collude.common.randomness import Entropy
from collude.common.secret import Secret

MOST_PERSONS, MOST_ATTRIBUTES = 1 << 64, 1 << 32
_BLOCK = bytes(64)


class Bits(Protocol):
    """A source of fair and independent bits."""

    def bits(self, count: int) -> int:
        """Return a number from 0 to 2^count - 1, each equally likely; count 0 or more."""
        ...


class BitStream(Secret):
    """The bits of a ChaCha20 stream, least significant first."""

    __slots__ = ("_held", "_left", "_stream")

    def __init__(self, key: bytes, nonce: bytes) -> None:
        """Start the stream of a 32-byte key and a 16-byte nonce, whose first 4 bytes count."""
        self._stream = Cipher(ChaCha20(key, nonce), mode=None).encryptor()
        self._held = self._left = 0

    def bits(self, count: int) -> int:
        """Return the next `count` bits as a number."""
        while self._left < count:
            block = int.from_bytes(self._stream.update(_BLOCK), "little")
            self._held |= block << self._left
            self._left += 8 * len(_BLOCK)
        drawn = self._held & ((1 << count) - 1)
        self._held >>= count
        self._left -= count
        return drawn


class AnswerBits(Secret):
    """A stream for each (person, attribute) of a cohort: the order of questions changes nothing.

    The key is of the cohort, and the ChaCha20 nonce is the person and the attribute.
    """

    __slots__ = ("_key",)

    def __init__(self, entropy: Entropy, cohort: int) -> None:
        """Derive the cohort's key from the silo's own entropy."""
        self._key = entropy.secret("codef/answer-noise", cohort)

    def stream(self, person: int, attribute: int) -> BitStream:
        """Return the stream of a question, from its beginning.

        Raises:
            ParameterInvalid: the person is not below 2^64, or the attribute not below 2^32.
        """
        if not 0 <= person < MOST_PERSONS:
            refuse("person", "from 0 to below 2^64", person)
        if not 0 <= attribute < MOST_ATTRIBUTES:
            refuse("attribute", "from 0 to below 2^32", attribute)
        nonce = bytes(4) + attribute.to_bytes(4, "little") + person.to_bytes(8, "little")
        return BitStream(self._key, nonce)


def below(bits: Bits, bound: int) -> int:
    """Return a number from 0 to bound - 1, each exactly equally likely; bound 1 or more."""
    width = (bound - 1).bit_length()
    while True:
        drawn = bits.bits(width)
        if drawn < bound:
            return drawn
