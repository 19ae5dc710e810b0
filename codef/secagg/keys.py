"""What keys and hashes are made of, as every side computes them."""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.codef.secagg import messages as m
from collude.codef.secagg.shamir import PRIME
from collude.common.encoding import digest, encode
from collude.common.protocol.sealed import SessionKey
from collude.common.randomness import hkdf
from collude.common.secret import Secret

_KEY_BYTES = 32
_LOW_ORDER = frozenset({
    0,
    1,
    PRIME - 1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
})
"""u of all points of order 1, 2, 4 and 8 of the curve and its twist: a secret with them is 0."""

ADVERTISE_TAG = "codef/v1/advertise-keys"
CONSISTENCY_TAG = "codef/v1/consistency"


@dataclass(frozen=True, slots=True, repr=False)
class Seeds(Secret):
    """A silo's secrets of one session.

    Attributes:
        self_mask: b, 31 bytes, shared among the neighbours.
        mask_key: a, 31 bytes, shared among the neighbours; it hashes to the mask key.
        envelope_key: 32 bytes, never shared.
    """

    self_mask: bytes
    mask_key: bytes
    envelope_key: bytes


def mask_key(session: bytes, seed: bytes) -> SessionKey:
    """Return the X25519 key of a 31-byte seed a."""
    return SessionKey(digest("codef/v1/mask-key", session, seed))


def self_mask_hash(session: bytes, seed: bytes) -> bytes:
    """Return the 32 bytes that commit to a 31-byte seed b."""
    return digest("codef/v1/self-mask-hash", session, seed)


def self_mask_key(session: bytes, seed: bytes) -> bytes:
    """Return the 32-byte key of a silo's own mask."""
    return hkdf(seed, encode("codef/v1/self", session))


def pair_mask_key(session: bytes, mine: SessionKey, theirs: bytes) -> bytes:
    """Return the 32-byte key of a pair's mask, the same for both.

    Raises:
        ValueError: theirs is a low-order point.
    """
    return hkdf(mine.shared(theirs), encode("codef/v1/pair", session))


def advertised_items(session: bytes, name: str, keys: m.AdvertiseKeys) -> Sequence[bytes | str]:
    """Return what the signature of advertised keys covers, after `ADVERTISE_TAG`."""
    return (
        session,
        name,
        keys.roster,
        keys.parameters,
        keys.envelope_key,
        keys.mask_key,
        keys.self_mask_hash,
    )


def advertised_hash(session: bytes, silos: Sequence[m.NamedKeys]) -> bytes:
    """Return the 32-byte hash of all that was advertised."""
    items = (
        part
        for named in silos
        for part in (*advertised_items(session, named.name, named.keys), named.keys.signature)
    )
    return digest("codef/v1/advertised", session, *items)


def view_hash(
    session: bytes, advertised: bytes, shared: Sequence[str], received: Sequence[str]
) -> bytes:
    """Return the 32-byte hash that silos sign in `consistency`: of the keys, U1 and U2."""
    counts = len(shared), len(received)
    return digest("codef/v1/view", session, advertised, *counts, *shared, *received)


def check_public(key: bytes) -> None:
    """Return if `key` is an X25519 key in its only form, and no secret with it is known to all.

    Raises:
        ValueError: it is not.
    """
    number = int.from_bytes(key, "little")
    if number >= PRIME:
        raise ValueError("an X25519 key is not in its reduced form")
    if len(key) != _KEY_BYTES or number in _LOW_ORDER:
        raise ValueError("a secret with an X25519 key of low order is known to all")
