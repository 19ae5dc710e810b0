"""What a silo keeps of one period, from the confirmed key on."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from collude.codef.ledger import Ledger
from collude.codef.period import PeriodTerms
from collude.codef.period.leases import Lease
from collude.codef.release import Frozen
from collude.common.secret import Secret
from collude.participant.codef.core import Responds, SiloCore


@dataclass(repr=False)
class SiloBook(Secret):
    """One period of one silo.

    Attributes:
        core: this silo.
        terms: of the period.
        session: its id.
        silos: that made the key, sorted: all of them signed who they are.
        key: the handle key, 32 bytes.
        ledger: this silo's replica.
        epoch: that is open or counted.
        responder: who answers.
        frozen: what was frozen at the last commit, until receipts are made of it.
        unrecorded: receipts of answers that no entry in the ledger holds yet, in order.
        lease: the last lease.
        summed: silos in the sum of this epoch, as I was shown before I opened it; empty until
            then, and if I am not among them.
        opened: whether I helped to open that sum: then enough silos signed that they were shown
            the same.
        handles_shown: whether the querier has the handles.
    """

    core: SiloCore
    terms: PeriodTerms
    session: bytes
    silos: tuple[str, ...]
    key: bytes
    ledger: Ledger = field(init=False)
    responder: Responds = field(init=False)
    epoch: int = 0
    frozen: Frozen | None = None
    unrecorded: Sequence[bytes] = ()
    lease: Lease | None = None
    summed: tuple[str, ...] = ()
    opened: bool = False
    handles_shown: bool = False

    def __post_init__(self) -> None:
        """Open the ledger, and what answers."""
        self.ledger = Ledger(self.terms.roster, self.session)
        self.responder = self.core.holdings.responder(self.terms, self.session, self.key)
