"""What must be true of the receipts of an epoch: a silo that answers must have recorded it.

A silo that gives no valid receipt may have counted too little; whoever audits it can open its tree.
That is no reason to stop asking: it is noted by name.
"""

from collections.abc import Sequence
from typing import NoReturn

from collude.codef.ledger import Entry, InclusionProof, check_inclusion
from collude.codef.ledger.entries import HASH_BYTES, SIGN_TAG
from collude.common.errors import LedgerRejected, ReleaseRefused
from collude.common.protocol.release_messages import Receipts
from collude.common.protocol.signing import verify


def check_receipts(
    silo: str, key: bytes, message: Receipts, expected: Sequence[bytes], depth: int
) -> None:
    """Return if every answer of the epoch is under the silo's signed entry.

    Args:
        silo: name.
        key: raw Ed25519 key of the silo.
        message: as it came.
        expected: `receipt_of` each answer, in the order of answering.
        depth: of the tree, as agreed.

    Raises:
        IdentityRefused: the entry is not signed by the silo.
        ReleaseRefused: there are more or fewer proofs than answers, or one does not hold.
    """
    parts = message.entry
    entry = Entry(
        message.session, silo, parts.commitment, parts.releases, parts.pedersen, parts.signature
    )
    verify(key, entry.signature, SIGN_TAG, *entry.signed_items(), party=silo)
    count, width = len(message.places), depth * HASH_BYTES
    whole = len(message.salts) == HASH_BYTES * count and len(message.siblings) == width * count
    if count != len(expected) or not whole:
        _reject(silo, message.epoch, len(expected), f"{count} proofs")
    failed = 0
    for number, receipt in enumerate(expected):
        path = message.siblings[number * width : (number + 1) * width]
        proof = InclusionProof(
            int(message.places[number]),
            message.salts[number * HASH_BYTES : (number + 1) * HASH_BYTES],
            tuple(path[i : i + HASH_BYTES] for i in range(0, width, HASH_BYTES)),
        )
        try:
            check_inclusion(parts.releases, (message.session, silo), receipt, proof, depth)
        except LedgerRejected:
            failed += 1
    if failed:
        _reject(silo, message.epoch, len(expected), f"{failed} proofs that do not hold")


def unproved(silo: str, epoch: int, answers: int, got: str) -> ReleaseRefused:
    """Return the note that answers are without a valid receipt."""
    return ReleaseRefused(
        "gave answers without a valid receipt",
        party=silo,
        field=f"receipts of epoch {epoch}",
        expected=f"{answers} proofs",
        got=got,
        hint="It may have counted fewer answers than it gave: have an auditor open its tree.",
    )


def _reject(silo: str, epoch: int, answers: int, got: str) -> NoReturn:
    raise unproved(silo, epoch, answers, got)
