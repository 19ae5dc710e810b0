"""Round 6, analyst's side: pool the counts of all participants."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from collude.analyst.state import Letters, Step
from collude.common.errors import ProtocolViolation
from collude.common.evaluation import ConfusionCounts
from collude.common.protocol.messages import Evaluation, Finished, Message

LARGEST_TOTAL = 2**50
"""Sums over a thousand participants stay within 64 bits."""


def counts_of(evaluation: Evaluation, repeats: int) -> ConfusionCounts:
    """Return the message's content: counts under each of `repeats` training seeds.

    Raises:
        ValueError: shapes that do not fit, repeated classes, counts that are negative or absurd,
            or seeds that are not about the same rows.
    """
    if evaluation.counts.sum(dtype=np.float64) > LARGEST_TOTAL:
        raise ValueError(f"the counts add up to more than {LARGEST_TOTAL}")
    return ConfusionCounts.from_stacked(evaluation.classes, evaluation.counts, repeats)


class EvaluateState:
    """Waiting for every participant's counts."""

    def __init__(self, repeats: int = 1) -> None:
        """Expect counts under so many training seeds."""
        self._repeats = repeats

    def check(self, sender: str, message: Message) -> Sequence[Message]:
        """Check that these are counts.

        Raises:
            ProtocolViolation: shapes that do not fit, repeated classes, or negative counts.
        """
        try:
            counts_of(cast(Evaluation, message), self._repeats)
        except ValueError as error:
            raise ProtocolViolation(
                "the evaluation cannot be used", party=sender, field="counts", got=str(error)
            ) from error
        return []

    def complete(self, messages: Letters) -> Step:
        """Pool the counts and end the session."""
        pooled = ConfusionCounts.pooled(
            counts_of(cast(Evaluation, each), self._repeats) for each in messages.values()
        )
        return Step(pooled, dict.fromkeys(messages, Finished(len(messages))))
