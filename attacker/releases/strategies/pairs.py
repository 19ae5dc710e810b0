"""Ask both silos of a pair the same thing first: half a secret is worth nothing."""

import numpy as np

from collude.attacker.releases.knowledge import PAIR
from collude.attacker.releases.strategies.base import Questions, Turn


class Pairs:
    """All that is open, at once; about each handle both silos of a pair are asked in one order."""

    name = "xor-pair"

    def next(self, turn: Turn) -> Questions:
        """Return all open questions, attributes of a pair in random order; nothing follows."""
        handle, silo, attribute = np.nonzero(turn.open)
        handles, silos, each = turn.open.shape
        rank = turn.rng.random((handles, -(-silos // PAIR), each))
        order = np.argsort(rank[handle, silo // PAIR, attribute], kind="stable")
        return Questions(handle[order], silo[order], attribute[order], last=True)
