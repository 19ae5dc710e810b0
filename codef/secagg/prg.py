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

Words = NDArray[np.unsignedinteger]

_PIECE_BYTES = 1 << 16
_BLOCK_BYTES = 16


def _stream(key: bytes) -> CipherContext:
    return Cipher(AES256(key), CTR(bytes(_BLOCK_BYTES))).encryptor()


def keystream(key: bytes, length: int) -> bytes:
    """Return the first `length` bytes of the stream of a 32-byte key."""
    return _stream(key).update(bytes(length))


def add_masks(words: Words, plus: Sequence[bytes], minus: Sequence[bytes]) -> None:
    """Add the masks of the keys in `plus` to `words`, in place, and subtract those in `minus`.

    A mask has one word for each word, of the same width, little-endian; words wrap.

    Args:
        words: shape (m,), one of the little-endian unsigned types.
        plus: 32-byte keys.
        minus: 32-byte keys.
    """
    added, taken = ([_stream(key) for key in keys] for keys in (plus, minus))
    zeros = bytes(_PIECE_BYTES)
    buffer = bytearray(_PIECE_BYTES + _BLOCK_BYTES)
    for piece in _pieces(words):
        source = memoryview(zeros)[: piece.nbytes]
        mask = np.frombuffer(buffer, dtype=words.dtype, count=piece.size)
        for stream in added:
            stream.update_into(source, buffer)
            np.add(piece, mask, out=piece)
        for stream in taken:
            stream.update_into(source, buffer)
            np.subtract(piece, mask, out=piece)


def _pieces(words: Words) -> Iterator[Words]:
    size = _PIECE_BYTES // words.itemsize
    return (words[at : at + size] for at in range(0, words.size, size))
