"""What the machine and the library leave at best: the same bytes or keys, and nothing else.

stream BYTES        AES-256-CTR, into one buffer that stays in the cache
words BYTES         32-bit words from memory added to a sum that stays in the cache
agree COUNT         X25519 exchanges, and a ChaCha20-Poly1305 sealing of 64 bytes for each
"""

import os
import sys
from collections.abc import Callable

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CTR

from benchmarks.workers.timing import measured, say

PIECE = 1 << 16
BLOCK = 16


def stream(size: int) -> Callable[[], None]:
    cipher = Cipher(AES256(bytes(32)), CTR(bytes(BLOCK))).encryptor()
    zeros, buffer = bytes(PIECE), bytearray(PIECE + BLOCK)

    def run() -> None:
        for _ in range(0, size, PIECE):
            cipher.update_into(zeros, buffer)

    return run


def words(size: int) -> Callable[[], None]:
    memory = np.ones((max(1, size // PIECE), PIECE // 4), dtype=np.uint32)
    total = np.zeros(PIECE // 4, dtype=np.uint32)

    def run() -> None:
        for piece in memory:
            np.add(total, piece, out=total)

    return run


def agree(count: int) -> Callable[[], None]:
    mine, other = X25519PrivateKey.generate(), X25519PrivateKey.generate().public_key()
    nonce, shares = bytes(12), os.urandom(64)

    def run() -> None:
        for _ in range(count):
            ChaCha20Poly1305(mine.exchange(other)).encrypt(nonce, shares, None)

    return run


LIMITS = {"stream": stream, "words": words, "agree": agree}


def main() -> None:
    say(measured(LIMITS[sys.argv[1]](int(sys.argv[2])))[1])


if __name__ == "__main__":
    main()
