"""Commitments and heads, silo's side: freeze, commit, append the phase, compare the heads."""

from collections.abc import Sequence
from typing import cast

from collude.codef.ledger import (
    Entry,
    Phase,
    ReleaseTree,
    SignedHead,
    aggregation_session,
    check_head,
    commit,
    sign_entry,
    sign_head,
)
from collude.codef.release.receipts import release_depth
from collude.codef.secagg.counts import checked_counts
from collude.common.errors import LedgerRejected
from collude.common.ids import COORDINATOR, Round
from collude.common.protocol import codef_messages as m
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.release_messages import Receipts
from collude.participant.codef.book import SiloBook
from collude.participant.codef.c4_aggregate import AggregateState, WaitState
from collude.participant.codef.receipts import receipts_of
from collude.participant.codef.state import State


class CommitState:
    """Waiting for the closed phase."""

    round = Round.CODEF_COMMIT

    def __init__(self, book: SiloBook) -> None:
        """Freeze the counts and commit to them.

        Raises:
            ParameterInvalid: they are out of range, or fewer than I committed to before.
        """
        self._book = book
        core, terms = book.core, book.terms
        self.session = book.ledger.session(book.epoch, book.session)
        before, book.frozen = book.frozen, book.responder.freeze()
        cap, last = terms.policy.cap, None if before is None else before.counts
        checked_counts(book.frozen.counts, terms.persons, cap, last)
        number = terms.period * (terms.epochs + 1) + book.epoch
        nonce = core.entropy.secret("codef/commit-nonce", number)
        tree_key = core.entropy.secret("codef/release-tree", number)
        depth = release_depth(terms.persons, max(terms.attributes, 1))
        # An entry that came too late holds nothing: what it was to hold is in the next one.
        book.unrecorded = (*book.unrecorded, *book.frozen.receipts)
        self._tree = ReleaseTree(self.session, core.name, book.unrecorded, depth, tree_key)
        commitment = commit(self.session, core.name, nonce, book.frozen.counts)
        pedersen = terms.sums.commitment(book.frozen.counts, core.entropy, self.session)
        self._entry = sign_entry(
            core.signing_key, self.session, core.name, commitment, self._tree.root, pedersen
        )

    def opening(self) -> Sequence[AnyMessage]:
        """Send the entry."""
        return [_wire(self._entry)]

    def receive(self, message: AnyMessage) -> State:
        """Append the phase to my replica.

        Raises:
            LedgerRejected: the phase does not belong there, or holds another entry of mine.
        """
        phase, book = cast(m.CommittedPhase, message), self._book
        entries = tuple(_entry(self.session, n.name, n.entry) for n in phase.entries)
        mine = [entry for entry in entries if entry.silo == book.core.name]
        if mine not in ([], [self._entry]):
            reason = "my entry is not the one that I sent"
            raise LedgerRejected(reason, party=COORDINATOR, field="entries")
        if phase.epoch != book.epoch:
            raise LedgerRejected(
                "a phase of another epoch",
                party=COORDINATOR,
                field="epoch",
                expected=book.epoch,
                got=phase.epoch,
            )
        book.ledger.append(Phase(phase.epoch, book.session, phase.previous, entries))
        return HeadState(book, self.session, self._receipts() if mine else None)

    def _receipts(self) -> Receipts:
        proofs = [self._tree.proof(receipt) for receipt in self._book.unrecorded]
        self._book.unrecorded = ()
        return receipts_of(self._book.epoch, self.session, _wire(self._entry), proofs)


class HeadState:
    """Waiting for the heads of the others' replicas."""

    round = Round.CODEF_HEAD

    def __init__(self, book: SiloBook, session: bytes, receipts: Receipts | None) -> None:
        """Sign my head; `receipts` are there if my entry is in the phase."""
        self._book, self.session = book, session
        self._receipts = receipts
        self._head = sign_head(book.ledger, book.core.name, book.core.signing_key)

    def opening(self) -> Sequence[AnyMessage]:
        """Send the head."""
        return [m.LedgerHead(self._head.length, self._head.hash, self._head.signature)]

    def receive(self, message: AnyMessage) -> State:
        """Compare everybody's head with my replica.

        Raises:
            LedgerForked: somebody was shown another ledger.
            LedgerRejected: a head is not signed, the coordinator's is missing, or mine is altered.
        """
        heads = cast(m.LedgerHeads, message).heads
        ledger, me = self._book.ledger, self._book.core.name
        signers = [named.name for named in heads]
        # The coordinator's friends on the roster, an analyst or a querier, make no quorum.
        silos = [name for name in signers if name in self._book.terms.silos]
        enough = len(silos) >= self._book.terms.least and COORDINATOR in signers
        if signers != sorted(set(signers)) or not enough:
            raise LedgerRejected(
                "the heads are not those of the coordinator and enough silos, in order",
                party=COORDINATOR,
                field="heads",
                expected=f"the coordinator's and {self._book.terms.least} or more",
                got=", ".join(signers) or "none",
            )
        for named in heads:
            h = named.head
            head = SignedHead(ledger.name, h.length, h.hash, named.name, h.signature)
            check_head(head, ledger)
            if head.length != ledger.length:
                raise LedgerRejected(
                    "a head of fewer entries", party=named.name, field="length",
                    expected=ledger.length, got=head.length,
                )  # fmt: skip
            if named.name == me and head != self._head:
                raise LedgerRejected("my head came back altered", party=COORDINATOR, field="heads")
        if self._receipts is None:
            return WaitState(self._book, self.session)
        session = aggregation_session(self.session, ledger.head)
        return AggregateState.begin(self._book, self.session, session, self._receipts)


def _wire(entry: Entry) -> m.CommitEntry:
    return m.CommitEntry(entry.commitment, entry.releases, entry.pedersen, entry.signature)


def _entry(session: bytes, name: str, e: m.CommitEntry) -> Entry:
    return Entry(session, name, e.commitment, e.releases, e.pedersen, e.signature)
