"""Round 5, participant's side: get the model and the own alignment map."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from collude.common.errors import DataInvalid, ModelInvalid, ProtocolViolation
from collude.common.ids import ANALYST
from collude.common.methods import traits_of
from collude.common.models import Model, members_of, model_from
from collude.common.protocol.messages import AlignmentMap, Delivery, Message
from collude.common.protocol.terms import Terms


@dataclass(frozen=True, slots=True)
class Delivered:
    """Known after the delivery: the model and the map."""

    session: bytes
    model: Model
    alignment: AlignmentMap | None


class DeliverState:
    """Waiting for the model."""

    def __init__(self, width: int, terms: Terms, session: bytes) -> None:
        """Expect the agreed models of width d, and a map where the method has one."""
        self._width, self._terms, self._session = width, terms, session
        self._aligned = traits_of(terms.method).anchor

    def opening(self) -> Sequence[Message]:
        """Send nothing: the analyst delivers when it has trained."""
        return []

    def receive(self, message: Message) -> Delivered:
        """Check the model, and the map's presence, shape and numbers.

        Every model is a question about the held-out records, so there are no more of them, and
        none of another kind, than the scenario says.

        Raises:
            ModelInvalid: the model cannot be rebuilt, predicts rows of another width, or is not
                the one that was agreed on.
            ProtocolViolation: a map is missing, unexpected, of another width, or not finite.
        """
        delivery = cast(Delivery, message)
        self._check_map(delivery.alignment)
        model = _checked_model(delivery, self._width)
        self._check_agreed(model)
        return Delivered(self._session, model, delivery.alignment)

    def _check_agreed(self, model: Model) -> None:
        wanted = [self._terms.model] * self._terms.repeats
        got = [member.kind for member in members_of(model)]
        if got != wanted:
            raise ModelInvalid(
                "these are not the models that the scenario trains",
                party=ANALYST,
                field="architecture",
                expected=", ".join(wanted),
                got=", ".join(got),
            )

    def _check_map(self, to: AlignmentMap | None) -> None:
        d = self._width
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


def _checked_model(delivery: Delivery, width: int) -> Model:
    try:
        return _rebuilt(delivery, width)
    except ModelInvalid as error:
        error.party = ANALYST
        raise
    except (ValueError, RecursionError) as error:
        raise ModelInvalid(
            "the model's architecture is not JSON",
            party=ANALYST,
            field="architecture",
            got=type(error).__name__,
        ) from error
    except DataInvalid as error:
        raise ModelInvalid(
            "the model predicts rows of another width",
            party=ANALYST,
            field="architecture",
            expected=f"width {width}",
        ) from error


def _rebuilt(delivery: Delivery, width: int) -> Model:
    arrays = {named.name: named.array for named in delivery.arrays}
    if len(arrays) != len(delivery.arrays):
        raise ModelInvalid("the model has two arrays of one name", field="arrays")
    model = model_from(json.loads(delivery.architecture), arrays)
    model.scores(np.zeros((1, width)))
    return model
