"""Leases, coordinator's side: from the decoded sum, and from nothing else.

A silo that is not in the sum may have used every lease it was granted in the period; all of them
are charged until it is counted again (`Spending`).
"""

from collections.abc import Sequence

import numpy as np

from collude.codef.coordinator.book import Counts, EpochFacts, PeriodBook
from collude.codef.coordinator.c3_commit import CommitStage
from collude.codef.coordinator.stage import Closed, Letter
from collude.codef.period.leases import leases_of
from collude.codef.policy import Grant
from collude.common.ids import Round
from collude.common.protocol.codef_messages import Adapt
from collude.common.protocol.release_messages import WITHHELD


def first_lease(book: PeriodBook) -> Closed:
    """Return the leases of epoch 0: nothing was spent, and every silo can compute them, too."""
    nothing = np.zeros(book.terms.persons, dtype=np.int64)
    return _granted(book, nothing, book.silos, 0)


def next_lease(book: PeriodBook, counted: Sequence[str], total: Counts) -> Closed:
    """Return the leases after an epoch.

    Args:
        book: of the period; leases granted are noted there.
        counted: silos in the sum, sorted.
        total: their counts of this period, summed, (n,).
    """
    book.sums.append(total)
    spent = book.spending.spent(total, counted)
    book.epoch += 1
    return _granted(book, spent, tuple(counted), book.epoch)


def _granted(book: PeriodBook, spent: Counts, active: tuple[str, ...], epoch: int) -> Closed:
    terms = book.terms
    last = epoch == terms.epochs
    grant = _of(book, spent, active, closed=last and not terms.uploads)
    leases = leases_of(terms, book.session, grant, active, epoch)
    book.spending.grant(leases)
    none = np.full_like(spent, WITHHELD), np.zeros_like(spent)
    letters = [
        Letter(
            silo,
            Round.CODEF_ADAPT,
            book.session,
            Adapt(epoch, *leases.get(silo, none), active, last),
        )
        for silo in book.silos
    ]
    book.facts.append(_facts(book, grant, active, epoch))
    return Closed(letters, None if last else CommitStage(book, next_lease))


def _of(book: PeriodBook, spent: Counts, active: tuple[str, ...], *, closed: bool) -> Grant:
    if closed:
        return Grant(np.full_like(spent, WITHHELD), np.zeros_like(spent))
    return book.terms.policy.grant(spent, len(active), book.terms.slots_per_lease)


def _facts(book: PeriodBook, grant: Grant, active: tuple[str, ...], epoch: int) -> EpochFacts:
    levels = range(len(book.terms.policy.levels))
    by_level = [int(np.count_nonzero(grant.levels == level)) for level in (*levels, WITHHELD)]
    missing = tuple(silo for silo in book.terms.silos if silo not in active)
    return EpochFacts(epoch, active, missing, tuple(by_level))
