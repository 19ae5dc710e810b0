"""Round 6, participant's side: counts on the held-out records, nothing else, leave."""

from collections.abc import Sequence

from collude.common.evaluation import ConfusionCounts
from collude.common.protocol.messages import Evaluation, Message
from collude.common.protocol.signed import signed
from collude.participant.core import Core


class EvaluateState:
    """Waiting for the end."""

    def __init__(self, core: Core, session: bytes, counts: ConfusionCounts) -> None:
        """Keep the counts, and sign them."""
        self._counts = counts
        unsigned = Evaluation(counts.classes, counts.stacked())
        self._evaluation = signed(unsigned, session, core.name, core.signing_key)

    def opening(self) -> Sequence[Message]:
        """Send the counts."""
        return [self._evaluation]

    def receive(self, message: Message) -> ConfusionCounts:  # noqa: ARG002 -- `Finished` says only that
        """Return the own counts as the outcome."""
        return self._counts
