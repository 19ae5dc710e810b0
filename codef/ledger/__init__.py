"""The ledger: what silos committed to before any key was shown, in one order that all can check.

- `commitments`: salted hashes of counts, and the audit of their openings.
- `entries`, `chain`: signed entries, sorted within a closed phase, in a hash chain.
- `heads`: signed heads; two of one length that differ prove a fork.
- `releases`: one padded Merkle root per silo and epoch; a receipt is proved without the rest.
- `sessions`: ids that bind a phase to roster, terms, epoch and all that came before.
- `text`: a file with one line a fact, which a short script checks without this package.
"""

from collude.codef.ledger.chain import Ledger, Phase
from collude.codef.ledger.commitments import Opening, check_opening, check_openings, commit
from collude.codef.ledger.entries import Entry, sign_entry
from collude.codef.ledger.heads import ForkProof, SignedHead, check_head, find_fork, sign_head
from collude.codef.ledger.releases import InclusionProof, ReleaseTree, check_inclusion
from collude.codef.ledger.sessions import aggregation_session, commit_session, genesis
from collude.codef.ledger.text import ledger_text, read_ledger

__all__ = [
    "Entry",
    "ForkProof",
    "InclusionProof",
    "Ledger",
    "Opening",
    "Phase",
    "ReleaseTree",
    "SignedHead",
    "aggregation_session",
    "check_head",
    "check_inclusion",
    "check_opening",
    "check_openings",
    "commit",
    "commit_session",
    "find_fork",
    "genesis",
    "ledger_text",
    "read_ledger",
    "sign_entry",
    "sign_head",
]
