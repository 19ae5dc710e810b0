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
    return _granted(book, nothing, book.made, book.silos)


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
    return _granted(book, spent, tuple(counted), tuple(counted))


def _granted(
    book: PeriodBook, spent: Counts, among: tuple[str, ...], counted: tuple[str, ...]
) -> Closed:
    """Grant leases to those `among` whom what is left is shared out."""
    terms, epoch = book.terms, book.epoch
    last = epoch == terms.epochs
    grant = _of(book, spent, among, closed=last and not terms.uploads)
    leases = leases_of(terms, book.session, grant, among, epoch)
    book.spending.grant({silo: lease for silo, lease in leases.items() if silo in book.silos})
    none = np.full_like(spent, WITHHELD), np.zeros_like(spent)
    letters = [
        Letter(
            silo,
            Round.CODEF_ADAPT,
            book.session,
            Adapt(epoch, *leases.get(silo, none), counted, last),
        )
        for silo in book.silos
    ]
    book.facts.append(_facts(book, grant, counted, epoch))
    return Closed(letters, None if last else CommitStage(book, next_lease))


def _of(book: PeriodBook, spent: Counts, among: tuple[str, ...], *, closed: bool) -> Grant:
    if closed:
        return Grant(np.full_like(spent, WITHHELD), np.zeros_like(spent))
    return book.terms.policy.grant(spent, len(among), book.terms.slots_per_lease)


def _facts(book: PeriodBook, grant: Grant, counted: tuple[str, ...], epoch: int) -> EpochFacts:
    levels = range(len(book.terms.policy.levels))
    by_level = [int(np.count_nonzero(grant.levels == level)) for level in (*levels, WITHHELD)]
    missing = tuple(silo for silo in book.terms.silos if silo not in counted)
    return EpochFacts(epoch, counted, missing, tuple(by_level))
