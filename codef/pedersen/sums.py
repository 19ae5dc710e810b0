"""Counts with Pedersen commitments: the coordinator checks the sum that it opened against them."""

from collections.abc import Sequence

from collude.codef.ledger import Entry
from collude.codef.ledger.entries import HASH_BYTES
from collude.codef.pedersen.check import check_aggregate, commitments_of
from collude.codef.pedersen.commitments import Blinding, commit
from collude.codef.pedersen.vectors import blinded_terms, blinded_vector
from collude.codef.secagg.counts import Counts
from collude.codef.secagg.terms import Terms
from collude.common.randomness import Entropy


class PedersenSums:
    """`collude.codef.period.sums.Sums` with commitments; what they show is in this package."""

    commitment_bytes = HASH_BYTES

    def terms(self, plain: Terms) -> Terms:
        """Return terms with room for the blindings."""
        return blinded_terms(plain)

    def commitment(self, counts: Counts, entropy: Entropy, session: bytes) -> bytes:
        """Return the silo's commitment: 32 bytes."""
        return commit(counts, Blinding.drawn(entropy, session))

    def vector(self, plain: Terms, counts: Counts, entropy: Entropy, session: bytes) -> Counts:
        """Return the counts, and behind them the blinding of the commitment to them."""
        return blinded_vector(plain, counts, Blinding.drawn(entropy, session))

    def total(
        self, plain: Terms, entries: Sequence[Entry], silos: Sequence[str], aggregate: Counts
    ) -> Counts:
        """Return the sums of the counts, once they are checked.

        Raises:
            LedgerRejected: a silo in the sum committed to nothing; names it.
            AggregationAborted: the sum is not that of the commitments.
        """
        return check_aggregate(plain, commitments_of(entries, silos), aggregate)
