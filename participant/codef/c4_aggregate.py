"""Secure aggregation, silo's side: its `Client`, stage by stage; its secrets end with it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from collude.codef.secagg import Client, Stage
from collude.common.errors import PeriodAborted, ProtocolViolation
from collude.common.ids import COORDINATOR, Round
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.release_messages import Receipts
from collude.common.protocol.secagg_messages import InputsReceived
from collude.participant.codef.book import SiloBook
from collude.participant.codef.state import State

ROUNDS: Mapping[Stage, Round] = MappingProxyType({
    Stage.ADVERTISE_KEYS: Round.ADVERTISE_KEYS,
    Stage.SHARE_KEYS: Round.SHARE_KEYS,
    Stage.MASKED_INPUT: Round.MASKED_INPUT,
    Stage.CONSISTENCY: Round.CONSISTENCY,
    Stage.DONE: Round.UNMASK,
})
"""Where a silo stands when its client has sent the message of a stage."""


class AggregateState:
    """A silo that has sent its message of a stage, and waits for the coordinator's."""

    def __init__(
        self,
        book: SiloBook,
        session: bytes,
        client: Client,
        opening: AnyMessage,
        receipts: Receipts | None = None,
    ) -> None:
        """Stand where the client stands."""
        self._book = book
        self.session, self._client, self._opening = session, client, opening
        self.round = ROUNDS[client.stage]
        self.receipts = receipts

    @classmethod
    def begin(
        cls, book: SiloBook, session: bytes, aggregation: bytes, receipts: Receipts
    ) -> "AggregateState":
        """Draw the keys, once: a session that was begun before a restart is not begun again.

        Args:
            book: of the period; what was frozen is masked.
            session: id of the epoch's commit phase, which the messages carry.
            aggregation: id of the aggregation, which the keys are bound to.
            receipts: of this epoch's answers, for the querier.

        Raises:
            SessionUsed: the silo took part in this aggregation before it was restarted.
            PeriodAborted: nothing was frozen.
        """
        if book.frozen is None:
            raise PeriodAborted("nothing was committed", party=book.core.name, field="counts")
        book.core.used.use(aggregation)
        terms, counts = book.terms, book.frozen.counts
        client = Client(
            terms.aggregation(aggregation),
            book.core.name,
            terms.sums.vector(terms.plain(session), counts, book.core.entropy, session),
            book.core.signing_key,
            book.core.entropy,
        )
        return cls(book, session, client, client.start(), receipts)

    def opening(self) -> Sequence[AnyMessage]:
        """Send the client's message."""
        return [self._opening]

    def receive(self, message: AnyMessage) -> State:
        """Hand the coordinator's message to the client.

        Raises:
            AggregationAborted: it is not what it must be; the client's secrets are gone.
        """
        answer = self._client.receive(message)  # type: ignore[arg-type]  # of this round's class
        if isinstance(message, InputsReceived):
            self._book.summed = message.silos
        self._book.opened = self._client.stage is Stage.DONE
        return AggregateState(self._book, self.session, self._client, answer)

    def leave(self) -> None:
        """Forget the secrets: the others went on without me."""
        self._client.give_up()


class WaitState:
    """A silo that is not in this epoch's phase: it waits for the next lease."""

    round = Round.ADVERTISE_KEYS

    def __init__(self, book: SiloBook, session: bytes) -> None:
        """Keep the book."""
        self._book, self.session = book, session

    def opening(self) -> Sequence[AnyMessage]:
        """Send nothing."""
        return []

    def receive(self, message: AnyMessage) -> State:
        """Refuse: nothing but a lease is for me.

        Raises:
            ProtocolViolation: always.
        """
        raise ProtocolViolation(
            "a message of an aggregation that I am not in", party=COORDINATOR, field="kind",
            got=type(message).__name__,
        )  # fmt: skip
