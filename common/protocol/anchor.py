"""The hashes of the anchor round, as both sides compute them."""

from collections.abc import Mapping, Sequence

from collude.common.encoding import digest

COMMIT_TAG = "collude/v1/anchor-commit"
CONFIRM_TAG = "collude/v1/anchor-confirm"


def commitment_to(session: bytes, name: str, nonce: bytes, share: bytes) -> bytes:
    """Return the 32-byte commitment; the 32-byte nonce hides the share."""
    return digest(COMMIT_TAG, session, name, nonce, share)


def joint_seed(session: bytes, shares: Mapping[str, bytes]) -> bytes:
    """Return the 32-byte joint seed: a hash over the session and all shares by name."""
    items = (part for name in sorted(shares) for part in (name, shares[name]))
    return digest("collude/v1/joint-seed", session, *items)


def seed_hash(seed: bytes) -> bytes:
    """Return the 32-byte hash by which parties compare the joint seed."""
    return digest("collude/v1/seed-hash", seed)


def confirm_items(
    session: bytes, name: str, contributors: Sequence[str], seed_hash: bytes, stream: bytes
) -> tuple[bytes | str | int, ...]:
    """Return what a confirmation's signature covers, after `CONFIRM_TAG`."""
    return (session, name, len(contributors), *contributors, seed_hash, stream)
