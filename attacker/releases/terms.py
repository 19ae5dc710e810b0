"""What the querier goes by: whom it asks, how long it waits, and what it wants of each period."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from collude.attacker.releases.knowledge import Knowledge
from collude.attacker.releases.strategies.base import Strategy
from collude.codef.numeric.checks import refuse
from collude.common.ids import ATTACKER, Round

WAITS: Mapping[Round, float] = {Round.WINDOW: 24.0, Round.QUERY: 1.0}
"""How many deadlines to wait: for the next windows, as long as the others may count together, that
is a window of 10, 2 for stragglers and a stage each of the rest; for answers."""

GRACE = 1.0
"""Deadlines for the other silos' windows once one is open: well before idle windows close."""


@dataclass(frozen=True)
class QuerierTerms:
    """Who is asked, and how long is waited.

    Attributes:
        silos: name -> raw 32-byte Ed25519 key, as the roster pins it.
        deadline_s: the wait for an answer, in seconds; other waits are multiples of it.
        name: the querier's.
    """

    silos: Mapping[str, bytes] = field(repr=False)
    deadline_s: float
    name: str = ATTACKER


@dataclass(frozen=True, eq=False, repr=False)
class PeriodPlan:
    """One period as the querier wants it.

    Attributes:
        knowledge: of the persons of this period.
        epochs: windows that every silo opens at most.
        strategy: what to ask next; used for this period alone.
        rng: the strategy's own random stream.
    """

    knowledge: Knowledge
    epochs: int
    strategy: Strategy
    rng: np.random.Generator

    def check(self, terms: QuerierTerms) -> None:
        """Return if the knowledge is about the silos that are asked.

        Raises:
            ParameterInvalid: it is about others.
        """
        if set(self.knowledge.silos) != set(terms.silos):
            known = ", ".join(self.knowledge.silos)
            refuse("knowledge.silos", ", ".join(terms.silos), known)
