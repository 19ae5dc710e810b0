"""Length-prefixed byte strings: the one way in which things are put under a hash or signature."""

import hashlib

PREFIX_BYTES = 4


def lp(item: bytes) -> bytes:
    """Return `item` after its length as 4 bytes, big-endian."""
    return len(item).to_bytes(PREFIX_BYTES, "big") + item


def encode(tag: str, *items: bytes | str | int) -> bytes:
    """Return the tag and the items, each length-prefixed; text as UTF-8, integers as decimal."""
    parts: list[bytes] = []
    for item in (tag, *items):
        raw = item if isinstance(item, bytes) else str(item).encode()
        parts += (len(raw).to_bytes(PREFIX_BYTES, "big"), raw)
    return b"".join(parts)


def digest(tag: str, *items: bytes | str | int) -> bytes:
    """Return SHA-256 over `encode(tag, *items)`: 32 bytes."""
    return hashlib.sha256(encode(tag, *items)).digest()
