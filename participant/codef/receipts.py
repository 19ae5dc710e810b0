"""What proves to the querier that its answers are recorded, as it travels."""

from collections.abc import Sequence

import numpy as np

from collude.codef.ledger import InclusionProof
from collude.common.protocol.codef_messages import CommitEntry
from collude.common.protocol.release_messages import Receipts


def receipts_of(
    epoch: int, session: bytes, entry: CommitEntry, proofs: Sequence[InclusionProof]
) -> Receipts:
    """Return the proofs of an epoch's first-time answers, in the order of answering.

    Args:
        epoch: in which they were answered.
        session: id of the commit phase.
        entry: this silo's, as it stands in the ledger.
        proofs: one for each.
    """
    return Receipts(
        epoch=epoch,
        session=session,
        entry=entry,
        places=np.array([proof.place for proof in proofs], dtype=np.int64),
        salts=b"".join(proof.salt for proof in proofs),
        siblings=b"".join(sibling for proof in proofs for sibling in proof.siblings),
    )
