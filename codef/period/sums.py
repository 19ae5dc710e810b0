"""What is summed beside the counts, so that the sum can be checked: nothing, or commitments."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from collude.codef.ledger import Entry
from collude.codef.secagg.terms import Terms
from collude.common.randomness import Entropy

Counts = NDArray[np.uint64]


class Sums(Protocol):
    """How counts are committed to beside their hash, masked, and checked when they are summed."""

    @property
    def commitment_bytes(self) -> int:
        """How long `commitment` is: whatever else stands in an entry goes out to everybody."""

    def terms(self, plain: Terms) -> Terms:
        """Return the terms under which is aggregated; `plain` are those of the counts alone."""

    def commitment(self, counts: Counts, entropy: Entropy, session: bytes) -> bytes:
        """Return what a silo's entry holds beside the hash, under the id of the commit phase."""

    def vector(self, plain: Terms, counts: Counts, entropy: Entropy, session: bytes) -> Counts:
        """Return what a silo masks."""

    def total(
        self, plain: Terms, entries: Sequence[Entry], silos: Sequence[str], aggregate: Counts
    ) -> Counts:
        """Return the sums of the counts, (n,).

        Args:
            plain: terms of the counts alone.
            entries: of the phase.
            silos: in the sum.
            aggregate: as it was opened.

        Raises:
            AggregationAborted: it is not the sum of what was committed to.
        """


class PlainSums:
    """Counts alone: that the sum is right rests on the masks."""

    commitment_bytes = 0

    def terms(self, plain: Terms) -> Terms:
        """Return the terms as they are."""
        return plain

    def commitment(self, _counts: Counts, _entropy: Entropy, _session: bytes) -> bytes:
        """Return nothing."""
        return b""

    def vector(self, _plain: Terms, counts: Counts, _entropy: Entropy, _session: bytes) -> Counts:
        """Return the counts."""
        return counts

    def total(
        self, _plain: Terms, _entries: Sequence[Entry], _silos: Sequence[str], aggregate: Counts
    ) -> Counts:
        """Return the aggregate."""
        return aggregate


def sums_of(*, pedersen: bool) -> Sums:
    """Return how counts are summed.

    Raises:
        ExtraMissing: Pedersen commitments need the extra of that name.
    """
    if not pedersen:
        return PlainSums()
    from collude.codef.pedersen.sums import PedersenSums  # noqa: PLC0415 -- optional

    return PedersenSums()
