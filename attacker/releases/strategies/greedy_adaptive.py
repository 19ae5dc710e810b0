"""Ask, about each handle, the question whose answer is least known beforehand.

An answer tells most where the persons with a one hold half of the belief. With s = 1, -1 or 0 for
a one, a zero and what is not known, its information is to leading order epsilon^2/8 times the
variance of s under the belief; where all is known that is 1 - (2 mass of ones - 1)^2, the same
order as the distance of the mass from one half. Ties are broken by lot.
"""

import numpy as np

from collude.attacker.releases.strategies.base import NOTHING, Questions, Turn
from collude.common.errors import AttackImpossible

LOT = 1e-12
"""Larger than rounding in a variance, smaller than any difference that matters."""


class GreedyAdaptive:
    """One question about each handle in a round, chosen by all answers so far."""

    name = "greedy-adaptive"

    def next(self, turn: Turn) -> Questions:
        """Return the best open question of each handle that has one.

        Raises:
            AttackImpossible: the silos' attributes are not known.
        """
        if turn.knowledge.kind != "plain":
            raise AttackImpossible(
                "greedy-adaptive cannot choose",
                field="knowledge",
                expected="the persons' attributes at each silo",
            )
        handles, silos, each = turn.open.shape
        mean = turn.belief @ turn.signs
        known = 1.0 if turn.signs.all() else turn.belief @ np.abs(turn.signs)
        gain = known - mean**2 + LOT * turn.rng.random(mean.shape)
        gain[~turn.open.reshape(handles, silos * each)] = -np.inf
        best = gain.argmax(axis=1)
        handle = np.flatnonzero(turn.open.any(axis=(1, 2)))
        if not len(handle):
            return NOTHING
        silo, attribute = np.divmod(best[handle], each)
        return Questions(handle, silo, attribute)
