"""One silo's entry of one epoch: what it counted and what it released, both as hashes."""

from dataclasses import dataclass

from collude.common.encoding import digest, encode
from collude.common.protocol.signing import SigningKey

SIGN_TAG = "codef/v1/commit-entry"
CHAIN_TAG = "codef/v1/entry"
HASH_BYTES = 32


@dataclass(frozen=True, slots=True)
class Entry:
    """What a silo signs: not the predecessor, so that the order of arrival is in no hash.

    Attributes:
        session: sid_commit, which binds roster, terms, epoch and the ledger before.
        silo: name.
        commitment: to its counts, 32 bytes.
        releases: Merkle root of what it released since its last entry, 32 bytes.
        pedersen: further commitments, 32 bytes each; empty where they are not used.
        signature: Ed25519, by the silo.
    """

    session: bytes
    silo: str
    commitment: bytes
    releases: bytes
    pedersen: bytes
    signature: bytes

    def signed_items(self) -> tuple[bytes | str, ...]:
        """Return what the signature covers, after `SIGN_TAG`."""
        return self.session, self.silo, self.commitment, self.releases, self.pedersen


def sign_entry(
    key: SigningKey,
    session: bytes,
    silo: str,
    commitment: bytes,
    releases: bytes,
    pedersen: bytes = b"",
) -> Entry:
    """Return a silo's signed entry."""
    unsigned = Entry(session, silo, commitment, releases, pedersen, b"")
    signature = key.sign(SIGN_TAG, *unsigned.signed_items())
    return Entry(session, silo, commitment, releases, pedersen, signature)


def chained(previous: bytes, sequence: int, entry: Entry) -> bytes:
    """Return h_j = SHA-256(lp("codef/v1/entry", h_{j-1}, e)), e = lp(seq, sid, id, com, ..., sig).

    Args:
        previous: h_{j-1}, 32 bytes.
        sequence: j - 1, from 0 over the whole ledger.
        entry: e.
    """
    content = encode(str(sequence), *entry.signed_items(), entry.signature)
    return digest(CHAIN_TAG, previous, content)
