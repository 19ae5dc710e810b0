"""The only maker of generators and secret bytes.

A stream is (party seed, purpose, counter): adding a party or a call never shifts another
stream. In `simulation` mode the party seed is HKDF(seed, party) and everything repeats; in
`deployment` mode it comes from the operating system and a seed is refused.

What hides records (secret transforms, noise) is drawn from a `SecretGenerator`; numpy's own
generators are for choosing and for attacks.
"""

import secrets
from math import prod
from typing import Any, Never, Self

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from collude.common.normals import normals

SEED_BYTES = 32
_WORD_BYTES = 8


def hkdf(key: bytes, info: bytes, length: int = SEED_BYTES) -> bytes:
    """Return `length` bytes of HKDF-SHA256(key, info), without salt."""
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=info).derive(key)


def _label(*parts: str | int) -> bytes:
    encoded = [str(part).encode() for part in parts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in encoded)


def party_seed(seed: int, party: str) -> bytes:
    """Return the 32-byte seed of `party` in a simulation with master seed `seed` >= 0.

    Raises:
        ValueError: the seed is negative.
    """
    if seed < 0:
        raise ValueError(f"a seed must be at least 0, not {seed}")
    return hkdf(str(seed).encode(), _label("collude/v1/party-seed", party))


def system_seed() -> bytes:
    """Return the 32-byte seed of a party in deployment mode: from the operating system."""
    return secrets.token_bytes(SEED_BYTES)


class Entropy:
    """A party's source of named random streams. It has no repr of its content."""

    __slots__ = ("_key", "simulated")

    def __init__(self, key: bytes, *, simulated: bool) -> None:
        """Keep the 32-byte key.

        Raises:
            ValueError: the key has another length.
        """
        if len(key) != SEED_BYTES:
            raise ValueError(f"a party seed has {SEED_BYTES} bytes, not {len(key)}")
        self._key = key
        self.simulated = simulated

    @classmethod
    def from_system(cls) -> Self:
        """Return a source keyed by the operating system: the only one in deployment mode."""
        return cls(system_seed(), simulated=False)

    def secret(self, purpose: str, counter: int = 0, length: int = SEED_BYTES) -> bytes:
        """Return `length` secret bytes of the stream (purpose, counter)."""
        return hkdf(self._key, _label("collude/v1/secret", purpose, counter), length)

    def generator(self, purpose: str, counter: int = 0) -> np.random.Generator:
        """Return a fresh numpy generator of the stream (purpose, counter)."""
        return generator_from_bytes(
            hkdf(self._key, _label("collude/v1/generator", purpose, counter))
        )

    def secret_generator(self, purpose: str, counter: int = 0) -> "SecretGenerator":
        """Return a fresh generator of the stream (purpose, counter) whose normals hide things."""
        return SecretGenerator(self.secret(f"generator/{purpose}", counter))

    def __repr__(self) -> str:
        """Return a text without the key."""
        return f"Entropy(simulated={self.simulated})"

    def __reduce__(self) -> Never:
        """Refuse to be pickled.

        Raises:
            TypeError: always.
        """
        raise TypeError("Entropy is secret and is not pickled")


class SecretGenerator(np.random.Generator):
    """A numpy generator whose normals come from ChaCha20: some tell nothing of the others.

    From enough output of numpy's PCG64 its state can be computed, and with it all that it drew
    and will draw; who knows part of a party's noise must not get the rest. Everything but
    `standard_normal`, `normal` and what numpy makes of them is still PCG64, under a key of its
    own: a plug-in must not hide records behind that.

    Source: C. Bouillaguet, F. Martinez and J. Sauvage, Practical seed-recovery for the PCG
    pseudo-random number generator, IACR Transactions on Symmetric Cryptology 2020(3).
    """

    def __init__(self, key: bytes) -> None:
        """Start the stream of a 32-byte key."""
        super().__init__(_pcg64(hkdf(key, _label("collude/v1/pcg64"))))
        self._stream = Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor()

    def standard_normal(  # type: ignore[override]  # float64 only
        self, size: Any = None, dtype: Any = np.float64, out: None = None
    ) -> Any:
        """Return standard normals of shape `size`, or one as a float; float64 only.

        Raises:
            TypeError: another dtype or an `out` array is asked for.
        """
        if np.dtype(dtype) != np.float64 or out is not None:
            raise TypeError("a secret generator makes new float64 arrays only")
        shape = () if size is None else tuple(np.atleast_1d(size).tolist())
        count = prod(shape)
        even = count + count % 2
        words = np.frombuffer(self._stream.update(bytes(_WORD_BYTES * even)), dtype="<u8")
        drawn = normals(words.astype(np.uint64))[:count].reshape(shape)
        return float(drawn) if size is None else drawn

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return normals with these means and standard deviations, scale >= 0.

        Raises:
            ValueError: a scale is negative.
        """
        if np.any(np.less(scale, 0.0)):
            raise ValueError("a standard deviation must not be negative")
        if size is None and np.ndim(loc) + np.ndim(scale):
            size = np.broadcast_shapes(np.shape(loc), np.shape(scale))
        return loc + np.multiply(scale, self.standard_normal(size))

    def __reduce__(self) -> Never:
        """Refuse to be pickled.

        Raises:
            TypeError: always.
        """
        raise TypeError("a secret generator is not pickled")


def _pcg64(key: bytes) -> np.random.PCG64:
    words = np.frombuffer(key, dtype="<u4")
    return np.random.PCG64(np.random.SeedSequence(words.tolist()))


def generator_from_bytes(key: bytes) -> np.random.Generator:
    """Return a numpy generator (PCG64) seeded with all of `key`."""
    return np.random.Generator(_pcg64(key))


def system_generator() -> np.random.Generator:
    """Return a generator seeded by the operating system."""
    return generator_from_bytes(system_seed())
