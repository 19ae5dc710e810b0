"""Ed25519 signatures over tagged, length-prefixed items."""

from typing import Never

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from collude.common.encoding import encode
from collude.common.errors import IdentityRefused


class SigningKey:
    """A party's Ed25519 private key. No repr of its content, not pickled."""

    __slots__ = ("_key",)

    def __init__(self, key: Ed25519PrivateKey) -> None:
        """Keep the key."""
        self._key = key

    @classmethod
    def from_bytes(cls, seed: bytes) -> "SigningKey":
        """Return the key of a 32-byte seed."""
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def public(self) -> bytes:
        """The raw 32-byte public key."""
        return self._key.public_key().public_bytes_raw()

    def sign(self, tag: str, *items: bytes | str | int) -> bytes:
        """Return the 64-byte signature over `encode(tag, *items)`."""
        return self._key.sign(encode(tag, *items))

    def __repr__(self) -> str:
        """Return a text without the key."""
        return "SigningKey()"

    def __reduce__(self) -> Never:
        """Refuse to be pickled.

        Raises:
            TypeError: always.
        """
        raise TypeError("a signing key is secret and is not pickled")


def verify(
    public: bytes, signature: bytes, tag: str, *items: bytes | str | int, party: str
) -> None:
    """Return if `party`, who holds the key `public`, signed these items.

    Raises:
        IdentityRefused: it did not; names the party.
    """
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, encode(tag, *items))
    except InvalidSignature as error:
        raise IdentityRefused(
            "a signature does not verify",
            party=party,
            field=tag,
            expected="an Ed25519 signature by the key pinned in the roster",
            hint="Somebody altered the message, or the party runs with another signing key.",
        ) from error
