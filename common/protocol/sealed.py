"""Envelopes that the carrier cannot open.

X25519 from a key used once to the recipient's signed per-session key, HKDF-SHA256,
ChaCha20-Poly1305 with (session, roster hash, from, to, counter) as associated data.
"""

from dataclasses import dataclass
from typing import Never

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import (
    X25519PrivateKey,
    X25519PublicKey,
)
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from collude.common.encoding import encode
from collude.common.errors import AnchorAborted
from collude.common.protocol.messages import SealedShare
from collude.common.randomness import hkdf

_TAG = "collude/v1/envelope"
_NONCE = bytes(12)  # a key is used for one envelope only


class SessionKey:
    """A party's X25519 key for one session. No repr of its content, not pickled."""

    __slots__ = ("_key",)

    def __init__(self, seed: bytes) -> None:
        """Make the key of a 32-byte seed."""
        self._key = X25519PrivateKey.from_private_bytes(seed)

    @property
    def public(self) -> bytes:
        """The raw 32-byte public key."""
        return self._key.public_key().public_bytes_raw()

    def shared(self, public: bytes) -> bytes:
        """Return the 32-byte X25519 secret with the holder of `public`.

        Raises:
            ValueError: a low-order point, whose secret everybody knows.
        """
        return self._key.exchange(X25519PublicKey.from_public_bytes(public))

    def __repr__(self) -> str:
        """Return a text without the key."""
        return "SessionKey()"

    def __reduce__(self) -> Never:
        """Refuse to be pickled.

        Raises:
            TypeError: always.
        """
        raise TypeError("a session key is secret and is not pickled")


@dataclass(frozen=True, slots=True)
class Route:
    """What an envelope is bound to: a copy elsewhere does not open."""

    session: bytes
    roster_hash: bytes
    sender: str
    recipient: str
    counter: int

    def associated(self) -> bytes:
        """Return the bytes that are authenticated beside the ciphertext."""
        return encode(
            _TAG, self.session, self.roster_hash, self.sender, self.recipient, self.counter
        )


def _cipher(
    shared: bytes, ephemeral: bytes, recipient_key: bytes, route: Route
) -> ChaCha20Poly1305:
    info = encode(_TAG, ephemeral, recipient_key, route.associated())
    return ChaCha20Poly1305(hkdf(shared, info))


def seal(payload: bytes, route: Route, recipient_key: bytes, ephemeral_seed: bytes) -> SealedShare:
    """Return `payload` sealed to `recipient_key` under a key made of the fresh 32-byte seed.

    Raises:
        AnchorAborted: the recipient's session key is a low-order point.
    """
    ephemeral = SessionKey(ephemeral_seed)
    try:
        shared = ephemeral.shared(recipient_key)
    except ValueError as error:
        raise AnchorAborted(
            "a session key is a low-order point", party=route.recipient, field="session_key"
        ) from error
    cipher = _cipher(shared, ephemeral.public, recipient_key, route)
    ciphertext = cipher.encrypt(_NONCE, payload, route.associated())
    return SealedShare(route.sender, route.recipient, route.counter, ephemeral.public, ciphertext)


def _require_route(sealed: SealedShare, route: Route) -> None:
    written = (sealed.sender, sealed.recipient, sealed.counter)
    if written != (route.sender, route.recipient, route.counter):
        raise ValueError("the envelope is addressed otherwise")


def open_sealed(sealed: SealedShare, route: Route, key: SessionKey) -> bytes:
    """Return the payload that `route.sender` sealed for this party on this route.

    Raises:
        AnchorAborted: it does not open: altered, or made for another route.
    """
    try:
        _require_route(sealed, route)
        shared = key.shared(sealed.ephemeral_key)
        cipher = _cipher(shared, sealed.ephemeral_key, key.public, route)
        return cipher.decrypt(_NONCE, sealed.ciphertext, route.associated())
    except (InvalidTag, ValueError) as error:
        raise AnchorAborted(
            "an envelope does not open",
            party=route.sender,
            field="ciphertext",
            expected=f"an envelope from {route.sender} to {route.recipient} in this session",
            hint="Whoever carried it altered or swapped it, or its sender sealed it wrongly.",
        ) from error
