"""Round 6, analyst's side: pool the counts of all participants."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from collude.analyst.r0_join import Opened
from collude.analyst.state import Letters, Step
from collude.common.errors import ProtocolViolation
from collude.common.evaluation import ConfusionCounts
from collude.common.protocol.messages import Evaluation, Finished, Message
from collude.common.protocol.signed import verify_signed
from collude.common.protocol.terms import Terms

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

    def __init__(self, terms: Terms, opened: Opened) -> None:
        """Expect counts under each training seed."""
        self._terms, self._opened = terms, opened

    def check(self, sender: str, message: Message) -> Sequence[Message]:
        """Check that these are the sender's counts.

        Raises:
            IdentityRefused: they are not signed by the sender's pinned key for this session.
            ProtocolViolation: shapes that do not fit, repeated classes, or negative counts.
        """
        evaluation = cast(Evaluation, message)
        verify_signed(evaluation, self._opened.session, sender, self._terms.roster.keys[sender])
        try:
            counts_of(evaluation, self._terms.repeats)
        except ValueError as error:
            raise ProtocolViolation(
                "the evaluation cannot be used", party=sender, field="counts", got=str(error)
            ) from error
        return []

    def complete(self, messages: Letters) -> Step:
        """Pool the counts and end the session."""
        pooled = ConfusionCounts.pooled(
            counts_of(cast(Evaluation, each), self._terms.repeats) for each in messages.values()
        )
        return Step(pooled, dict.fromkeys(messages, Finished(len(messages))))
