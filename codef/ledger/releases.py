"""What a silo released in an epoch, under one root: proved one by one, counted by nobody.

The tree has 2^depth leaves, whatever was released: the rest are leaves of nothing, which look the
same under their salts. Places are drawn at random, so that a proof does not tell how many releases
came before. The auditor, to whom a silo opens all leaves, counts them.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from collude.codef.numeric.checks import refuse
from collude.common.encoding import PREFIX_BYTES, digest, encode, lp
from collude.common.errors import LedgerRejected
from collude.common.secret import Secret

LEAF_TAG = "codef/v1/release"
NODE_TAG = "codef/v1/release-node"
MOST_DEPTH = 24
NOTHING = b""
_SALT_BYTES = 32
_HASH_BYTES = 32
_LENGTH = lp(bytes(_HASH_BYTES))[:PREFIX_BYTES]
_NODE = encode(NODE_TAG)


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """That a receipt is under a root; for the one who holds the receipt.

    Attributes:
        place: of the leaf, from 0.
        salt: of the leaf, 32 bytes.
        siblings: depth hashes of 32 bytes, from the leaf's up to the root's children.
    """

    place: int
    salt: bytes
    siblings: tuple[bytes, ...]


def leaf(session: bytes, silo: str, salt: bytes, receipt: bytes) -> bytes:
    """Return the 32-byte hash of one release; an empty receipt is a leaf of nothing."""
    return digest(LEAF_TAG, session, silo, salt, receipt)


def _drawn(secret: bytes, count: int) -> list[bytes]:
    """Return `count` times 32 bytes that nobody guesses without the secret."""
    stream = hashlib.shake_256(secret).digest(_SALT_BYTES * count)
    return [stream[start : start + _SALT_BYTES] for start in range(0, len(stream), _SALT_BYTES)]


def _leaves(session: bytes, silo: str, salted: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
    """Return `leaf` of each (salt, receipt): what all begin with is encoded once."""
    start = encode(LEAF_TAG, session, silo)
    return [hashlib.sha256(start + lp(salt) + lp(receipt)).digest() for salt, receipt in salted]


def _node(left: bytes, right: bytes) -> bytes:
    """Return `digest(NODE_TAG, left, right)`; of two hashes, in a quarter of the time."""
    if len(left) == len(right) == _HASH_BYTES:
        return hashlib.sha256(_NODE + _LENGTH + left + _LENGTH + right).digest()
    return digest(NODE_TAG, left, right)


class ReleaseTree(Secret):
    """A silo's releases of one epoch. Salts and places are secret."""

    def __init__(
        self, session: bytes, silo: str, receipts: Sequence[bytes], depth: int, key: bytes
    ) -> None:
        """Make the tree.

        Args:
            session: sid_commit of the phase that records the root.
            silo: name.
            receipts: one for each release, distinct and not empty, at most 2^depth.
            depth: from 0 to 24, the same for all silos and epochs.
            key: 32 fresh secret bytes.

        Raises:
            ParameterInvalid: the receipts or the depth are not as said.
        """
        if not 0 <= depth <= MOST_DEPTH:
            refuse("depth", f"from 0 to {MOST_DEPTH}", depth)
        if len(receipts) > 1 << depth:
            refuse("receipts", f"at most {1 << depth}", "more")
        if NOTHING in receipts or len(set(receipts)) != len(receipts):
            refuse("receipts", "distinct and not empty", "some that are not")
        self._session, self._silo = session, silo
        drawn = _drawn(encode(LEAF_TAG, key, session, silo), 1 << depth)
        order = _drawn(encode(NODE_TAG, key, session, silo), 1 << depth)
        shuffled = sorted(range(1 << depth), key=order.__getitem__)
        self.leaves = [(salt, NOTHING) for salt in drawn]
        self._places = dict(zip(receipts, shuffled, strict=False))
        for receipt, place in self._places.items():
            self.leaves[place] = (drawn[place], receipt)
        self._levels = [_leaves(session, silo, self.leaves)]
        while len(self._levels[-1]) > 1:
            below = self._levels[-1]
            self._levels.append([_node(*below[i : i + 2]) for i in range(0, len(below), 2)])

    @property
    def root(self) -> bytes:
        """What the ledger holds: 32 bytes."""
        return self._levels[-1][0]

    def proof(self, receipt: bytes) -> InclusionProof:
        """Return the proof for one receipt.

        Raises:
            ParameterInvalid: there is no such release.
        """
        if receipt not in self._places:
            refuse("receipt", "one of this epoch's releases", "another")
        place = self._places[receipt]
        siblings = (level[(place >> up) ^ 1] for up, level in enumerate(self._levels[:-1]))
        return InclusionProof(place, self.leaves[place][0], tuple(siblings))


def check_inclusion(
    root: bytes, route: tuple[bytes, str], receipt: bytes, proof: InclusionProof, depth: int
) -> None:
    """Return if a receipt is under the root of its silo's entry.

    Args:
        root: from the ledger.
        route: session and silo of the entry.
        receipt: not empty.
        proof: what the silo gave.
        depth: as agreed.

    Raises:
        LedgerRejected: it is not there; names the silo.
    """
    whole = len(proof.siblings) == depth and 0 <= proof.place < 1 << depth
    found = leaf(*route, proof.salt, receipt)
    for up, sibling in enumerate(proof.siblings):
        right = proof.place >> up & 1
        found = _node(sibling, found) if right else _node(found, sibling)
    if not whole or receipt == NOTHING or found != root:
        raise LedgerRejected(
            "a receipt is not under the root of this silo's entry",
            party=route[1],
            field="proof",
            expected=root.hex(),
            hint="The silo answered without recording it: its count may be too low.",
        )


def releases_opened(
    root: bytes, route: tuple[bytes, str], leaves: Sequence[tuple[bytes, bytes]], depth: int
) -> int:
    """Return how many releases a silo recorded, from all its leaves: for the auditor.

    Args:
        root: from the ledger.
        route: session and silo of the entry.
        leaves: (salt, receipt) by place; an empty receipt is nothing.
        depth: as agreed.

    Raises:
        LedgerRejected: these are not the leaves of the root; names the silo.
    """
    level = _leaves(*route, leaves)
    whole = len(level) == 1 << depth
    while whole and len(level) > 1:
        level = [_node(*level[i : i + 2]) for i in range(0, len(level), 2)]
    if not whole or level[0] != root:
        raise LedgerRejected(
            "opened releases are not those of the root", party=route[1], field="releases"
        )
    return sum(receipt != NOTHING for _, receipt in leaves)
