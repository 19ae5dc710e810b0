"""Round 2, coordinator's side: add up the masked counts as they come; none is kept."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collude.codef.secagg import messages as m
from collude.codef.secagg.aborts import too_few
from collude.codef.secagg.keys import view_hash
from collude.codef.secagg.prg import Words
from collude.codef.secagg.server.core import Step, refuse_message
from collude.codef.secagg.server.r1_share_keys import Shared
from collude.codef.secagg.stages import Stage
from collude.codef.secagg.terms import Terms

STAGE = Stage.MASKED_INPUT


@dataclass(frozen=True, slots=True)
class Received:
    """Known after the masked counts: their sum over U2, and what silos must sign.

    Attributes:
        shared: what was known before.
        alive: U2.
        dead: U1 without U2.
        total: sum of the masked counts, shape (m,); words may be above 2^w.
        view: hash of the keys, U1 and U2.
    """

    shared: Shared
    alive: tuple[str, ...]
    dead: tuple[str, ...]
    total: Words
    view: bytes


class MaskedInputState:
    """Waiting for every silo's masked counts."""

    def __init__(self, terms: Terms, shared: Shared) -> None:
        """Start at zero."""
        self._terms, self._known = terms, shared
        self._total: Words = np.zeros(terms.length, dtype=terms.modulus.dtype)
        self.expected = shared.silos

    def take(self, sender: str, message: m.MaskedInput) -> None:
        """Add the masked counts.

        Raises:
            ProtocolViolation: they have another length, or a word is out of range.
        """
        try:
            words = self._terms.modulus.parse(message.words, self._terms.length)
        except ValueError as error:
            refuse_message(STAGE, sender, str(error), what="words")
        np.add(self._total, words, out=self._total)

    def close(self, came: Sequence[str]) -> Step:
        """Say whose counts are in the sum.

        Raises:
            AggregationAborted: too few silos came.
        """
        if len(came) < self._terms.least_summed:
            too_few(STAGE, came, self._terms.least_summed)
        silos, alive, there = self._known.silos, tuple(came), set(came)
        dead = tuple(name for name in silos if name not in there)
        view = view_hash(self._terms.session, self._known.advertised.hash, silos, alive)
        facts = Received(self._known, alive, dead, self._total, view)
        return Step(facts, dict.fromkeys(alive, m.InputsReceived(alive)))
