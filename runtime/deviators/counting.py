"""Silos that lie about what they counted."""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from collude.codef.period import PeriodTerms
from collude.codef.release import Frozen
from collude.common.ids import Role, Round
from collude.common.protocol.parcel import Parcel
from collude.common.protocol.release_messages import Answer, Query
from collude.participant.codef.core import Holdings, Responds
from collude.participant.codef.session import SiloSession
from collude.runtime.deviators.base import Deviator, Session

Counts = NDArray[np.uint64]
Lie = Callable[[Counts, PeriodTerms], Counts]

REPORTED_ONE_IN = 2


class _LyingHoldings:
    """Answers as the silo would, and counts otherwise."""

    def __init__(self, honest: Holdings, lie: Lie) -> None:
        self._honest, self._lie = honest, lie

    def responder(self, terms: PeriodTerms, session: bytes, key: bytes) -> Responds:
        return _LyingResponder(self._honest.responder(terms, session, key), self._lie, terms)


class _LyingResponder:
    def __init__(self, honest: Responds, lie: Lie, terms: PeriodTerms) -> None:
        self._honest, self._lie, self._terms = honest, lie, terms

    @property
    def handles(self) -> bytes:
        return self._honest.handles

    def lease(self, levels: NDArray[np.int64], slots: NDArray[np.int64]) -> None:
        self._honest.lease(levels, slots)

    def answer(self, query: Query) -> Answer:
        return self._honest.answer(query)

    def freeze(self) -> Frozen:
        frozen = self._honest.freeze()
        return replace(frozen, counts=self._lie(frozen.counts, self._terms))


class LyingSilo(Deviator):
    """A silo that commits to and masks other counts than its own: `lie` says which."""

    role: ClassVar[Role] = Role.PARTICIPANT

    def __init__(self, session: Session, rng: np.random.Generator) -> None:
        """Put the lie between the silo and what it holds."""
        super().__init__(session, rng)
        silo = cast("SiloSession", session)
        silo.core = replace(silo.core, holdings=_LyingHoldings(silo.core.holdings, self.lie))

    def lie(self, counts: Counts, terms: PeriodTerms) -> Counts:
        """Return what it commits to, (n,), in place of its counts of the period."""
        raise NotImplementedError


class UnderReporter(LyingSilo):
    """It commits to and masks half of what it counted.

    Not stopped: no check sees a lie told consistently. Damage: what it hides is granted again. Of
    f silos in K that hide a share h, up to 1/(1 - f h/K) times the budget is answered; paper 2's
    own numbers are in docs/threat-model.md. Its queriers hold receipts for all it answered, and an
    auditor whom it opens its releases to counts more of them than its count says.
    """

    def lie(self, counts: Counts, terms: PeriodTerms) -> Counts:  # noqa: ARG002 -- the base has it
        """Return half of the counts, rounded down."""
        return counts // np.uint64(REPORTED_ONE_IN)


class OverReporter(LyingSilo):
    """It says that it counted as much as a silo can about everybody.

    Not stopped: it denies service. Damage: of each person's budget, at most its cap; nobody
    answers more, and what it takes away is gone for this period.
    """

    def lie(self, counts: Counts, terms: PeriodTerms) -> Counts:
        """Return the cap for everybody."""
        return np.full_like(counts, terms.policy.cap)


class LateCounter(LyingSilo):
    """It commits to its counts, sees the others' commitments, and masks nothing.

    Not stopped by hash commitments, which nobody opens: damage as of `under-reporter`, whole
    counts hidden. The others' commitments tell it nothing to adapt to. The opened commitments do
    not add up to the sum, so an auditor sees that somebody did it; with Pedersen commitments
    everybody does who is shown the sum (`collude.codef.pedersen`).
    """

    def __init__(self, session: Session, rng: np.random.Generator) -> None:
        """Keep what it froze."""
        super().__init__(session, rng)
        self._frozen: Counts | None = None

    def lie(self, counts: Counts, terms: PeriodTerms) -> Counts:  # noqa: ARG002 -- the base has it
        """Return the true counts, in memory that can be changed later."""
        self._frozen = counts.copy()
        return self._frozen

    def takes(self, parcel: Parcel) -> Parcel | None:
        """Forget the counts when all commitments are in the ledger."""
        if parcel.round == Round.CODEF_HEAD and self._frozen is not None:
            self._frozen[:] = 0
        return parcel
