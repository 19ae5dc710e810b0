"""Counts with their blinding behind them, as secure aggregation carries both.

A blinding is a number below 2^256: 16 limbs of 16 bits. The words of up to 65,537 silos' limbs sum
to less than 2^32, so every sum of limbs is exact, and R follows from them modulo l.

Secure aggregation has one cap for all entries: the greater of c_max and 65,535. That a count is at
most c_max is checked by the silo itself here, and of the sum by `split_sum`. The commit phase
carries the hash of the plain terms, so c_max stands in sid_commit, and thereby in sid_agg.
"""

from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from collude.codef.numeric.checks import refuse
from collude.codef.pedersen.commitments import MOST_COUNT, Blinding
from collude.codef.pedersen.group import ORDER
from collude.codef.secagg.aborts import abort
from collude.codef.secagg.counts import Counts, checked_counts
from collude.codef.secagg.stages import Stage
from collude.codef.secagg.terms import Terms

LIMBS = 16
LIMB_BITS = 16
LIMB_CAP = (1 << LIMB_BITS) - 1

Sums: TypeAlias = NDArray[np.uint64]


def limbs_of(blinding: Blinding) -> Counts:
    """Return the limbs of r, shape (16,), least first: r = sum_j limb[j] 2^(16 j)."""
    content = blinding.scalar.to_bytes(LIMBS * LIMB_BITS // 8, "little")
    return np.frombuffer(content, dtype="<u2").astype(np.uint64)


def joined_limbs(limbs: ArrayLike) -> int:
    """Return R modulo l from sums of limbs, shape (16,).

    Raises:
        ParameterInvalid: the shape or type is another.
    """
    values = checked_counts(limbs, LIMBS, MOST_COUNT)
    return sum(int(limb) << (LIMB_BITS * j) for j, limb in enumerate(values)) % ORDER


def blinded_terms(terms: Terms) -> Terms:
    """Return the terms under which counts and limbs are aggregated: 16 entries more.

    Args:
        terms: plain ones: `length` persons, `cap` is c_max.

    Raises:
        ParameterInvalid: K (2^16 - 1) is 2^w or more, so sums of limbs could wrap.
    """
    if terms.modulus.most_count(terms.count) < LIMB_CAP:
        silos = ((1 << terms.modulus.bits) - 1) // LIMB_CAP
        expected = f"{silos} at {terms.modulus.bits} bits with commitments, or fewer"
        refuse("silos", expected, terms.count, "use a modulus of 32 bits or more")
    return replace(terms, length=terms.length + LIMBS, cap=max(terms.cap, LIMB_CAP))


def blinded_vector(
    terms: Terms, counts: ArrayLike, blinding: Blinding, previous: ArrayLike | None = None
) -> Counts:
    """Return what a silo aggregates under `blinded_terms(terms)`: shape (length + 16,).

    Args:
        terms: the plain ones.
        counts: shape (length,), whole numbers from 0 to c_max.
        blinding: that of the silo's commitment to these counts.
        previous: the counts committed to before in this budget period.

    Raises:
        ParameterInvalid: counts are out of range or have decreased.
    """
    checked = checked_counts(counts, terms.length, terms.cap, previous)
    return np.concatenate([checked, limbs_of(blinding)])


def split_sum(terms: Terms, silos: int, aggregate: ArrayLike) -> tuple[Sums, Sums]:
    """Return the sums of the counts, shape (length,), and of the limbs, shape (16,).

    Args:
        terms: the plain ones.
        silos: how many are in the sum.
        aggregate: shape (length + 16,), as the session under `blinded_terms(terms)` gave it.

    Raises:
        ParameterInvalid: the aggregate is of another shape or type.
        AggregationAborted: a sum is more than that many silos' counts or limbs can have.
    """
    values = checked_counts(aggregate, terms.length + LIMBS, MOST_COUNT)
    counts, limbs = values[: terms.length], values[terms.length :]
    for what, sums, cap in (("aggregate", counts, terms.cap), ("limbs", limbs, LIMB_CAP)):
        if int(sums.max()) > silos * cap:
            reason = "the sum is more than these silos may count"
            abort(Stage.UNMASK, reason, what=what, expected=f"at most {silos * cap}", got="more")
    return counts, limbs
