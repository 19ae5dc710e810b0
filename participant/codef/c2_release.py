"""The release, silo's side: answers under the lease until the window closes; then it commits."""

from collections.abc import Sequence

from collude.common.errors import ProtocolViolation
from collude.common.ids import COORDINATOR, Round
from collude.common.protocol import release_messages as r
from collude.common.protocol.codef_messages import CommittedPhase
from collude.common.protocol.kinds import AnyMessage
from collude.participant.codef.book import SiloBook
from collude.participant.codef.c3_commit import CommitState
from collude.participant.codef.state import State


class ReleaseState:
    """An open window."""

    round = Round.CODEF_RELEASE

    def __init__(self, book: SiloBook) -> None:
        """Open the window; where nobody may ask, it closes at once."""
        self._book = book
        self.session = book.ledger.session(book.epoch, book.session)
        self.asked_out = not book.terms.querier or not book.terms.attributes

    def opening(self) -> Sequence[AnyMessage]:
        """Send the coordinator nothing."""
        return []

    def window(self) -> r.Window:
        """Return what tells the querier that it may ask; at first with the handles."""
        book = self._book
        handles = b"" if book.handles_shown else book.responder.handles
        book.handles_shown = True
        return r.Window(book.epoch, open=True, handles=handles)

    def answer(self, query: r.Query) -> r.Answer:
        """Return the answer to a query; the last one closes the window.

        Raises:
            ProtocolViolation: it is of another epoch.
            ReleaseRefused: it cannot be answered as it stands. Nothing was charged either way.
        """
        if query.epoch != self._book.epoch:
            raise ProtocolViolation(
                "a query of another epoch",
                party=self._book.terms.querier,
                field="epoch",
                expected=self._book.epoch,
                got=query.epoch,
            )
        answer = self._book.responder.answer(query)
        self.asked_out = self.asked_out or query.last
        return answer

    def close(self) -> State:
        """Close the window: nothing is released from now on until the next lease."""
        return CommitState(self._book)

    def receive(self, message: AnyMessage) -> State:
        """Note that the others have committed without me.

        Raises:
            ProtocolViolation: it is something else.
        """
        if not isinstance(message, CommittedPhase):
            raise ProtocolViolation("the window is open", party=COORDINATOR, field="kind")
        return CommitState(self._book).receive(message)
