"""Who gets which lease: computed by the coordinator, and by every silo as if nothing were spent."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from collude.codef.period.terms import PeriodTerms
from collude.codef.policy import Grant, allot
from collude.common.encoding import digest

Lease = tuple[NDArray[np.int64], NDArray[np.int64]]
"""(n,) levels, -1 to withhold, and (n,) slots."""


def leases_of(
    terms: PeriodTerms, session: bytes, grant: Grant, silos: Sequence[str], epoch: int
) -> dict[str, Lease]:
    """Return each silo's lease of an epoch.

    Args:
        terms: of the period.
        session: the period's id.
        grant: level and slots of each person, all silos together.
        silos: that get one, sorted.
        epoch: that it is for.
    """
    seed = digest("codef/v1/allot", session, epoch)
    return {
        silo: (np.asarray(levels, dtype=np.int64), np.asarray(slots, dtype=np.int64))
        for silo, (levels, slots) in allot(grant, silos, terms.slots, seed).items()
    }


def most_leases(
    terms: PeriodTerms, session: bytes, silos: Sequence[str], epoch: int
) -> dict[str, Lease]:
    """Return each silo's lease of an epoch if nothing had been spent: no other is worth more."""
    nothing = np.zeros(terms.persons, dtype=np.int64)
    grant = terms.policy.grant(nothing, len(silos), terms.slots_per_lease)
    return leases_of(terms, session, grant, silos, epoch)


def first_leases(terms: PeriodTerms, session: bytes, silos: Sequence[str]) -> dict[str, Lease]:
    """Return each silo's lease of epoch 0, which follows from the terms alone."""
    return most_leases(terms, session, silos, 0)
