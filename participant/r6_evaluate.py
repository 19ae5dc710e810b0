"""Round 6, participant's side: counts on the held-out records, nothing else, leave."""

from collections.abc import Sequence

from collude.common.evaluation import ConfusionCounts
from collude.common.protocol.messages import Evaluation, Message


class EvaluateState:
    """Waiting for the end."""

    def __init__(self, counts: ConfusionCounts) -> None:
        """Keep the counts."""
        self._counts = counts

    def opening(self) -> Sequence[Message]:
        """Send the counts."""
        return [Evaluation(self._counts.classes, self._counts.stacked())]

    def receive(self, message: Message) -> ConfusionCounts:  # noqa: ARG002 -- `Finished` says only that
        """Return the own counts as the outcome."""
        return self._counts
