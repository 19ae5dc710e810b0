"""The coordinator's side of one session: collect, close, hand on; at the end one sum."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collude.codef.secagg import messages as m
from collude.codef.secagg.server.core import Letters, State, Step
from collude.codef.secagg.server.r0_advertise_keys import AdvertiseKeysState
from collude.codef.secagg.server.r1_share_keys import ShareKeysState
from collude.codef.secagg.server.r2_masked_input import MaskedInputState
from collude.codef.secagg.server.r3_consistency import ConsistencyState
from collude.codef.secagg.server.r4_unmask import Summed, UnmaskState
from collude.codef.secagg.stages import SERVER, STAGES, Stage, following
from collude.codef.secagg.terms import Terms
from collude.common.errors import AggregationAborted, ProtocolViolation

_ENTER: Mapping[Stage, Callable[[Terms, Any], State]] = {
    Stage.SHARE_KEYS: ShareKeysState,
    Stage.MASKED_INPUT: MaskedInputState,
    Stage.CONSISTENCY: ConsistencyState,
    Stage.UNMASK: UnmaskState,
}


class Server:
    """The coordinator in one session. Which silos are late is its driver's to say: `close`."""

    def __init__(self, terms: Terms) -> None:
        """Wait for every silo's keys."""
        self.stage = Stage.ADVERTISE_KEYS
        self._terms = terms
        self._state: State | None = AdvertiseKeysState(terms)
        self._came: set[str] = set()
        self._summed: Summed | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """Silos whose message of this stage has not come, in the order of names."""
        expected = self._state.expected if self._state else ()
        return tuple(name for name in expected if name not in self._came)

    @property
    def aggregate(self) -> NDArray[np.uint64]:
        """The sum of the counts, shape (m,), once the session is done."""
        return self._done().aggregate

    @property
    def silos(self) -> tuple[str, ...]:
        """Silos whose counts are in the sum, once the session is done."""
        return self._done().silos

    def _done(self) -> Summed:
        if self._summed is None:
            raise ProtocolViolation("there is no sum yet", field="stage", got=self.stage)
        return self._summed

    def receive(self, sender: str, message: m.ToServer) -> None:
        """Take one silo's message of this stage.

        Raises:
            ProtocolViolation: it does not belong here or now, or is not what it must be. Nothing
                changed: the session goes on, with or without this silo.
        """
        following(SERVER, self.stage, message, sender)
        if self._state is None or sender in self._came or sender not in self._state.expected:
            raise ProtocolViolation(
                "a message of a silo that is not waited for",
                party=sender,
                field=f"{self.stage}/sender",
                expected=", ".join(self.missing) or "nobody",
                got=sender,
            )
        try:
            self._state.take(sender, message)
        except AggregationAborted as error:  # shared checks end a silo's session, not this one
            parts = {"field": error.field, "expected": error.expected, "got": error.got}
            raise ProtocolViolation(error.reason, party=sender, **parts) from error
        self._came.add(sender)

    def close(self) -> Letters:
        """End the stage without those whose message has not come; return a letter for each other.

        Raises:
            ProtocolViolation: the session is over.
            AggregationAborted: too few silos are left, or there is no sum; the session is over.
        """
        if self._state is None:
            raise ProtocolViolation("the session is over", field="stage", got=self.stage)
        try:
            step = self._state.close(self._in_order())
        except AggregationAborted:
            self.stage, self._state = Stage.ABORTED, None
            raise
        self._enter(step)
        return step.letters

    def _in_order(self) -> Sequence[str]:
        return tuple(name for name in self._terms.silos if name in self._came)

    def _enter(self, step: Step) -> None:
        self._came = set()
        if self.stage is Stage.UNMASK:
            self.stage, self._state, self._summed = Stage.DONE, None, step.facts
            return
        self.stage = STAGES[STAGES.index(self.stage) + 1]
        self._state = _ENTER[self.stage](self._terms, step.facts)
