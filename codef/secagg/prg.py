"""Masks: the keystream of AES-256 in counter mode, added to counts modulo 2^w.

A key serves for one stream only, so the counter starts at zero. Streams are made and added piece
by piece: the piece of the sum stays in the processor's cache while all masks pass over it.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CTR
from numpy.typing import NDArray

from collude.common.secret import Secret

Words = NDArray[np.unsignedinteger]

PIECE_BYTES = 1 << 16
"""A sum, a mask and the zeros that are encrypted fit into the second level of most caches."""
_BLOCK_BYTES = 16


def _stream(key: bytes) -> CipherContext:
    return Cipher(AES256(key), CTR(bytes(_BLOCK_BYTES))).encryptor()


def keystream(key: bytes, length: int) -> bytes:
    """Return the first `length` bytes of the stream of a 32-byte key."""
    return _stream(key).update(bytes(length))


class Masks(Secret):
    """The masks of some keys, added from their beginnings on, one piece after the other.

    A mask has one word for each word, of the same width, little-endian; words wrap.
    """

    def __init__(self, plus: Sequence[bytes], minus: Sequence[bytes]) -> None:
        """Start at the first words of all masks.

        Args:
            plus: 32-byte keys of the masks to add.
            minus: 32-byte keys of the masks to subtract.
        """
        self._added, self._taken = ([_stream(key) for key in keys] for keys in (plus, minus))
        self._zeros = bytes(PIECE_BYTES)
        self._buffer = bytearray(PIECE_BYTES + _BLOCK_BYTES)

    def add_to(self, piece: Words) -> None:
        """Add the next words of all masks to a piece, in place.

        Raises:
            ValueError: the piece has more than `PIECE_BYTES` bytes.
        """
        if piece.nbytes > PIECE_BYTES:
            raise ValueError(f"a piece has at most {PIECE_BYTES} bytes, not {piece.nbytes}")
        source = memoryview(self._zeros)[: piece.nbytes]
        mask = np.frombuffer(self._buffer, dtype=piece.dtype, count=piece.size)
        for stream in self._added:
            stream.update_into(source, self._buffer)
            np.add(piece, mask, out=piece)
        for stream in self._taken:
            stream.update_into(source, self._buffer)
            np.subtract(piece, mask, out=piece)


def add_masks(words: Words, plus: Sequence[bytes], minus: Sequence[bytes]) -> None:
    """Add the masks of the keys in `plus` to `words`, in place, and subtract those in `minus`.

    Args:
        words: shape (m,), one of the little-endian unsigned types.
        plus: 32-byte keys.
        minus: 32-byte keys.
    """
    masks = Masks(plus, minus)
    for piece in pieces(words, words.itemsize):
        masks.add_to(piece)


def pieces(values: Words, word_bytes: int) -> Iterator[Words]:
    """Return views of successive values, as many as have words of one piece."""
    size = PIECE_BYTES // word_bytes
    return (values[at : at + size] for at in range(0, values.size, size))
