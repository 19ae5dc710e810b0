"""Salted commitments to counts.

com_i = SHA-256(lp("codef/v1/commit", sid, id_i, nonce_i, v_i)), v_i as 8 bytes a count,
little-endian. Nobody opens it to other counts; nobody guesses the counts without the nonce.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from collude.common.encoding import digest
from collude.common.errors import LedgerRejected
from collude.common.secret import Secret

COMMIT_TAG = "codef/v1/commit"
NONCE_BYTES = 32


@dataclass(frozen=True, slots=True, repr=False)
class Opening(Secret):
    """What a silo keeps to open its commitment; for the auditor alone.

    Attributes:
        session: sid_commit.
        silo: name.
        nonce: 32 secret bytes, drawn for this commitment.
        counts: shape (m,), uint64.
    """

    session: bytes
    silo: str
    nonce: bytes
    counts: NDArray[np.uint64]


def commit(session: bytes, silo: str, nonce: bytes, counts: ArrayLike) -> bytes:
    """Return the 32-byte commitment of a silo to its counts, shape (m,), 0 or more.

    Raises:
        ValueError: the nonce does not have 32 bytes.
    """
    if len(nonce) != NONCE_BYTES:
        raise ValueError(f"a nonce has {NONCE_BYTES} bytes, not {len(nonce)}")
    content = np.asarray(counts, dtype="<u8").tobytes()
    return digest(COMMIT_TAG, session, silo, nonce, content)


def check_opening(commitment: bytes, opening: Opening) -> None:
    """Return if `commitment` was made of this opening.

    Raises:
        LedgerRejected: it was not; names the silo.
    """
    if len(opening.nonce) != NONCE_BYTES or commitment != commit(
        opening.session, opening.silo, opening.nonce, opening.counts
    ):
        raise LedgerRejected(
            "an opening does not match its commitment",
            party=opening.silo,
            field="commitment",
            expected=commitment.hex(),
            hint="The silo counted otherwise than it committed to, or opens another commitment.",
        )


def check_openings(opened: Iterable[tuple[bytes, Opening]]) -> None:
    """Return if every opening matches its commitment and no nonce serves twice.

    Raises:
        LedgerRejected: one does not match, or a nonce was used again; names the silo.
    """
    seen: set[bytes] = set()
    for commitment, opening in opened:
        check_opening(commitment, opening)
        if opening.nonce in seen:
            raise LedgerRejected(
                "a nonce was used for two commitments", party=opening.silo, field="nonce"
            )
        seen.add(opening.nonce)
