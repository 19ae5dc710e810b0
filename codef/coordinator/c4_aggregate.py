"""Secure aggregation, coordinator's side: its `Server`, stage by stage, then the next leases."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from collude.codef.coordinator.book import Counts, PeriodBook
from collude.codef.coordinator.stage import Closed, Letter
from collude.codef.ledger import aggregation_session
from collude.codef.secagg import Server, Stage
from collude.common.errors import ProtocolViolation
from collude.common.ids import Round
from collude.common.protocol.kinds import AnyMessage

ROUNDS: Mapping[Stage, Round] = MappingProxyType({
    Stage.ADVERTISE_KEYS: Round.ADVERTISE_KEYS,
    Stage.SHARE_KEYS: Round.SHARE_KEYS,
    Stage.MASKED_INPUT: Round.MASKED_INPUT,
    Stage.CONSISTENCY: Round.CONSISTENCY,
    Stage.UNMASK: Round.UNMASK,
})


class AggregateStage:
    """One stage of secure aggregation: waiting for the messages of the silos that are left."""

    def __init__(
        self,
        book: PeriodBook,
        session: bytes,
        entered: Sequence[str],
        next_lease: Callable[[PeriodBook, Sequence[str], Counts], Closed],
        server: Server | None = None,
    ) -> None:
        """Start with the keys, or go on where `server` stands."""
        self._book, self._entered, self._next_lease = book, tuple(entered), next_lease
        self.session = session
        self._server = server or Server(
            book.terms.aggregation(aggregation_session(session, book.ledger.head))
        )
        self.round = ROUNDS[self._server.stage]
        self.eligible = tuple(n for n in self._server.missing if n in self._entered)
        self.least = 0  # the server says itself when too few are left, and in which stage

    def take(self, sender: str, message: AnyMessage) -> None:
        """Hand it to the server.

        Raises:
            ProtocolViolation: the silo committed to nothing, or the server refuses it.
        """
        if sender not in self._entered:
            raise ProtocolViolation(
                "committed to nothing in this epoch", party=sender, field=f"{self.round}/sender"
            )
        self._server.receive(sender, message)  # type: ignore[arg-type]  # of this round's class

    def close(self, _came: Sequence[str]) -> Closed:
        """Close the server's stage; after the last the sum is there.

        Raises:
            AggregationAborted: too few silos are left, or there is no sum, or it is not that of
                what was committed to.
        """
        now, server = self.round, self._server
        answers = server.close()
        if server.stage is Stage.DONE:
            return self._next_lease(self._book, server.silos, self._total(server))
        letters = [Letter(name, now, self.session, answer) for name, answer in answers.items()]
        after = AggregateStage(self._book, self.session, self._entered, self._next_lease, server)
        return Closed(letters, after)

    def _total(self, server: Server) -> Counts:
        terms, phase = self._book.terms, self._book.ledger.phases[-1]
        plain = terms.plain(self.session)
        total = terms.sums.total(plain, phase.entries, server.silos, server.aggregate)
        return np.asarray(total, dtype=np.int64)
