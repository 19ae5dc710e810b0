"""The checks: of a sum against the commitments of those in it, and of one opened commitment."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from collude.codef.ledger.entries import Entry
from collude.codef.pedersen.commitments import MOST_COUNT, Blinding, commit, opened
from collude.codef.pedersen.group import checked_point, summed
from collude.codef.pedersen.vectors import Sums, joined_limbs, split_sum
from collude.codef.secagg.aborts import abort
from collude.codef.secagg.counts import checked_counts
from collude.codef.secagg.stages import Stage
from collude.codef.secagg.terms import Terms
from collude.common.errors import LedgerRejected


def commitments_of(entries: Iterable[Entry], silos: Sequence[str]) -> dict[str, bytes]:
    """Return the commitment of each of `silos` from the entries of one phase.

    Raises:
        LedgerRejected: one of them has no entry, or no commitment in it that can be one.
    """
    by_silo = {entry.silo: entry.pedersen for entry in entries}
    return {silo: _checked(silo, by_silo.get(silo, b"")) for silo in silos}


def _checked(silo: str, commitment: bytes) -> bytes:
    try:
        return checked_point(commitment)
    except ValueError as error:
        raise LedgerRejected(
            "has no usable Pedersen commitment",
            party=silo,
            field="pedersen",
            expected="one element of the group, 32 bytes, in its only encoding",
            got=f"{commitment.hex() or 'none'}: {error}",
        ) from error


def check_sum(commitments: Mapping[str, bytes], counts: ArrayLike, limbs: ArrayLike) -> None:
    """Return if the sums are those of what these silos committed to.

    Args:
        commitments: of every silo in the sum (U2) and of no other, by name.
        counts: A, shape (m,), whole numbers from 0 to 2^64 - 1.
        limbs: sums of the limbs of the blindings, shape (16,).

    Raises:
        ParameterInvalid: a sum is of another shape or type.
        LedgerRejected: a commitment is none; names the silo.
        AggregationAborted: they are not. It names the coordinator, who answers for the sum; a silo
            that masked another vector than it committed to leaves the same trace.
    """
    expected = summed([_checked(silo, point) for silo, point in commitments.items()])
    values = np.asarray(counts)
    found = opened(checked_counts(values, values.size, MOST_COUNT), joined_limbs(limbs))
    if found != expected:
        abort(
            Stage.UNMASK,
            "the sum is not that of the commitments: it was altered, or a silo in it masked "
            "another vector than it committed to",
            what="pedersen",
            expected=expected.hex(),
            got=found.hex(),
        )


def check_aggregate(terms: Terms, commitments: Mapping[str, bytes], aggregate: ArrayLike) -> Sums:
    """Return the sums of the counts, shape (length,), once they are checked.

    Args:
        terms: the plain ones, without limbs.
        commitments: of every silo in the sum (U2) and of no other, by name.
        aggregate: shape (length + 16,), of the session under `blinded_terms(terms)`.

    Raises:
        ParameterInvalid: the aggregate is of another shape or type.
        LedgerRejected: a commitment is none; names the silo.
        AggregationAborted: a sum is too large, or is not that of the commitments.
    """
    counts, limbs = split_sum(terms, len(commitments), aggregate)
    check_sum(commitments, counts, limbs)
    return counts


def check_opening(silo: str, commitment: bytes, counts: ArrayLike, blinding: Blinding) -> None:
    """Return if a silo's commitment is to these counts: for the auditor, to whom it opens them.

    Raises:
        ParameterInvalid: the counts are negative, or no counts.
        LedgerRejected: it is to other counts, or none; names the silo.
    """
    if _checked(silo, commitment) != commit(counts, blinding):
        raise LedgerRejected(
            "an opening does not match its commitment",
            party=silo,
            field="pedersen",
            expected=commitment.hex(),
            hint="The silo counted otherwise than it committed to, or opens another commitment.",
        )
