"""Round 5, participant's side: get the model and the own alignment map."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from collude.common.errors import ProtocolViolation
from collude.common.ids import ANALYST
from collude.common.protocol.messages import Delivery, Message


@dataclass(frozen=True, slots=True)
class Delivered:
    """Known after the delivery: the model and the map."""

    delivery: Delivery


class DeliverState:
    """Waiting for the model."""

    def __init__(self, width: int, *, aligned: bool) -> None:
        """Expect a map of width d, or none."""
        self._width, self._aligned = width, aligned

    def opening(self) -> Sequence[Message]:
        """Send nothing: the analyst delivers when it has trained."""
        return []

    def receive(self, message: Message) -> Delivered:
        """Check the map's presence, shape and numbers.

        Raises:
            ProtocolViolation: a map is missing, unexpected, of another width, or not finite.
        """
        delivery = cast(Delivery, message)
        d = self._width
        to = delivery.alignment
        arrays = [] if to is None else [to.rotation, to.mean, to.offset]
        expected = [(d, d), (d,), (d,)] if self._aligned else []
        got = [a.shape for a in arrays]
        finite = all(np.isfinite(a).all() for a in arrays)
        if got != expected or not finite:
            raise ProtocolViolation(
                "the alignment map cannot be used",
                party=ANALYST,
                field="rotation, mean, offset",
                expected=f"finite arrays of shape {expected}",
                got=f"{got}, finite: {finite}",
            )
        return Delivered(delivery)
