"""What the coordinator keeps of one period: its ledger, the leases it granted, what it saw.

Of counts it has the sums alone, which it computes leases from and shows nobody.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from collude.codef.ledger import Ledger, SignedHead
from collude.codef.period import PeriodTerms
from collude.codef.policy import Spending
from collude.common.protocol.signing import SigningKey

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EpochFacts:
    """What may be said of one lease: levels, never counts.

    Attributes:
        epoch: that the lease is for.
        counted: silos in the sum behind it; for the first lease, those that got it.
        missing: silos of the roster that were not counted.
        persons_by_level: of each level of the policy, then withheld: how many persons.
    """

    epoch: int
    counted: tuple[str, ...]
    missing: tuple[str, ...]
    persons_by_level: tuple[int, ...]


@dataclass(slots=True)
class PeriodBook:
    """One period, from the confirmed key on.

    Attributes:
        terms: of the period.
        session: its id.
        silos: those that confirmed the key, sorted.
        made: those that made it, sorted; the first leases are made for all of them.
        signing_key: the coordinator's.
        ledger: its replica.
        epoch: that is counted now.
        sums: the decoded sum of each epoch, (n,).
        spending: the leases granted, and what they may have cost.
        facts: of each lease.
        heads: signed heads, of each epoch.
    """

    terms: PeriodTerms
    session: bytes
    silos: tuple[str, ...]
    made: tuple[str, ...]
    signing_key: SigningKey
    ledger: Ledger = field(init=False)
    epoch: int = 0
    sums: list[Counts] = field(default_factory=list, repr=False)
    spending: Spending = field(init=False, repr=False)
    facts: list[EpochFacts] = field(default_factory=list)
    heads: list[SignedHead] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Open the ledger."""
        self.ledger = Ledger(self.terms.roster, self.session)
        self.spending = Spending(self.terms.policy, self.terms.persons)
