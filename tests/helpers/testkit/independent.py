"""The protocol's hashes and keys again, from the standard library and bare primitives.

Written from the documentation of the formats. It shares no code with the product.
"""

import hashlib
import hmac
import struct

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305


def lp(item: bytes) -> bytes:
    return struct.pack(">I", len(item)) + item


def joined(*items) -> bytes:
    """Length-prefixed items: text as UTF-8, integers in decimal."""
    return b"".join(lp(i if isinstance(i, bytes) else str(i).encode("utf-8")) for i in items)


def sha(*items) -> bytes:
    return hashlib.sha256(joined(*items)).digest()


def hkdf(key: bytes, info: bytes, length: int = 32) -> bytes:
    """RFC 5869 with SHA-256 and no salt."""
    extracted = hmac.digest(bytes(32), key, "sha256")
    block, output = b"", b""
    for number in range(1, 256):
        if len(output) >= length:
            break
        block = hmac.digest(extracted, block + info + bytes([number]), "sha256")
        output += block
    return output[:length]


def party_seed(seed: int, party: str) -> bytes:
    return hkdf(str(seed).encode(), joined("collude/v1/party-seed", party))


def secret(key: bytes, purpose: str, counter: int, length: int = 32) -> bytes:
    return hkdf(key, joined("collude/v1/secret", purpose, counter), length)


def roster_hash(members) -> bytes:
    """members: (name, role, key) in any order."""
    return sha("collude/v1/roster", *(part for member in sorted(members) for part in member))


def session_id(roster: bytes, scenario: bytes, attempt: int, joins) -> bytes:
    """joins: (name, nonce, X25519 key), sorted by name."""
    parts = (part for join in joins for part in join)
    return sha("collude/v1/session", roster, scenario, attempt, *parts)


def commitment(session: bytes, name: str, nonce: bytes, share: bytes) -> bytes:
    return sha("collude/v1/anchor-commit", session, name, nonce, share)


def joint_seed(session: bytes, shares) -> bytes:
    """shares: name -> 32 bytes."""
    return sha(
        "collude/v1/joint-seed", session, *(x for item in sorted(shares.items()) for x in item)
    )


def envelope(
    payload: bytes, route, recipient_key: bytes, ephemeral_seed: bytes
) -> tuple[bytes, bytes]:
    """(ephemeral public key, ciphertext); route: session, roster hash, from, to, counter."""
    tag = "collude/v1/envelope"
    private = X25519PrivateKey.from_private_bytes(ephemeral_seed)
    public = private.public_key().public_bytes_raw()
    shared = private.exchange(X25519PublicKey.from_public_bytes(recipient_key))
    associated = joined(tag, *route)
    key = hkdf(shared, joined(tag, public, recipient_key, associated))
    return public, ChaCha20Poly1305(key).encrypt(bytes(12), payload, associated)


def transcript_digest(entries) -> str:
    """entries: (round, sender, receiver, sequence, body)."""
    items = sorted(
        joined(round_, sender, receiver, sequence, hashlib.sha256(body).digest())
        for round_, sender, receiver, sequence, body in entries
        if round_[:2] in {"r0", "r1", "r3"}
    )
    return sha("collude/v1/transcript", *items).hex()
