"""The only maker of generators and secret bytes.

A stream is (party seed, purpose, counter): adding a party or a call never shifts another
stream. In `simulation` mode the party seed is HKDF(seed, party) and everything repeats; in
`deployment` mode it comes from the operating system and a seed is refused.
"""

import secrets
from typing import Never, Self

import numpy as np
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SEED_BYTES = 32


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

    def __repr__(self) -> str:
        """Return a text without the key."""
        return f"Entropy(simulated={self.simulated})"

    def __reduce__(self) -> Never:
        """Refuse to be pickled.

        Raises:
            TypeError: always.
        """
        raise TypeError("Entropy is secret and is not pickled")


def generator_from_bytes(key: bytes) -> np.random.Generator:
    """Return a numpy generator (PCG64) seeded with all of `key`."""
    words = np.frombuffer(key, dtype="<u4")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words.tolist())))


def system_generator() -> np.random.Generator:
    """Return a generator seeded by the operating system."""
    return generator_from_bytes(system_seed())
