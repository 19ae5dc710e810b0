"""Commitments and heads, coordinator's side: close the phase, sort, chain, show it to all."""

from collections.abc import Callable, Sequence
from typing import cast

from collude.codef.coordinator.book import Counts, PeriodBook
from collude.codef.coordinator.c4_aggregate import AggregateStage
from collude.codef.coordinator.stage import Closed, Letter
from collude.codef.ledger import Entry, SignedHead, sign_head
from collude.codef.ledger.chain import check_entry
from collude.codef.ledger.heads import check_signed
from collude.common.errors import LedgerRejected
from collude.common.ids import COORDINATOR, Round
from collude.common.protocol import codef_messages as m
from collude.common.protocol.kinds import AnyMessage

NextLease = Callable[[PeriodBook, Sequence[str], Counts], Closed]


class CommitStage:
    """Waiting for the silos' commitments, which end their windows."""

    round = Round.CODEF_COMMIT

    def __init__(self, book: PeriodBook, next_lease: NextLease) -> None:
        """Wait for all silos of the period."""
        self.book, self._next_lease = book, next_lease
        self.session = book.ledger.session(book.epoch, book.session)
        self.eligible = book.silos
        self.least = book.terms.least
        self._entries: dict[str, m.CommitEntry] = {}

    def take(self, sender: str, message: AnyMessage) -> None:
        """Check the entry.

        Raises:
            LedgerRejected: it does not belong into this phase, or is longer than it may be: it
                goes out to all silos, and stays in every ledger.
        """
        entry = cast(m.CommitEntry, message)
        length = self.book.terms.sums.commitment_bytes
        if len(entry.pedersen) != length:
            raise LedgerRejected(
                "commitments of another length",
                party=sender,
                field="pedersen",
                expected=f"{length} bytes",
                got=f"{len(entry.pedersen)} bytes",
            )
        check_entry(self.book.terms.roster, _entry(self.session, sender, entry), self.session)
        self._entries[sender] = entry

    def close(self, came: Sequence[str]) -> Closed:
        """Append the phase, and show it to all silos of the period."""
        book = self.book
        previous = book.ledger.head
        entries = [_entry(self.session, name, self._entries[name]) for name in came]
        book.ledger.close(book.epoch, book.session, entries)
        named = tuple(m.NamedCommitEntry(name, self._entries[name]) for name in came)
        phase = m.CommittedPhase(book.epoch, previous, named)
        letters = [Letter(name, self.round, self.session, phase) for name in book.silos]
        return Closed(letters, HeadStage(book, self.session, tuple(came), self._next_lease))


def _entry(session: bytes, name: str, e: m.CommitEntry) -> Entry:
    return Entry(session, name, e.commitment, e.releases, e.pedersen, e.signature)


class HeadStage:
    """Waiting for the heads that the silos' replicas have now."""

    round = Round.CODEF_HEAD

    def __init__(
        self, book: PeriodBook, session: bytes, entered: tuple[str, ...], next_lease: NextLease
    ) -> None:
        """Wait for all silos of the period; those that `entered` are aggregated."""
        self._book, self._entered, self._next_lease = book, entered, next_lease
        self.session = session
        self.eligible = book.silos
        self.least = book.terms.least
        self._heads: dict[str, SignedHead] = {}

    def take(self, sender: str, message: AnyMessage) -> None:
        """Check that the sender signed it.

        A head that differs from mine is passed on like any other: it is evidence.

        Raises:
            LedgerRejected: the sender did not sign it.
        """
        ledger, head = self._book.ledger, cast(m.LedgerHead, message)
        signed = SignedHead(ledger.name, head.length, head.hash, sender, head.signature)
        check_signed(signed, ledger.roster, ledger.period)
        self._heads[sender] = signed

    def close(self, came: Sequence[str]) -> Closed:
        """Show all heads to all, mine among them, and aggregate."""
        book = self._book
        mine = sign_head(book.ledger, COORDINATOR, book.signing_key)
        heads = [mine, *(self._heads[name] for name in came)]
        book.heads += heads
        named = tuple(
            m.NamedHead(h.signer, m.LedgerHead(h.length, h.hash, h.signature))
            for h in sorted(heads, key=lambda h: h.signer)
        )
        letters = [Letter(n, self.round, self.session, m.LedgerHeads(named)) for n in book.silos]
        return Closed(letters, AggregateStage(book, self.session, self._entered, self._next_lease))
