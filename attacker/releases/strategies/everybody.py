"""Ask every silo everything about everybody, in random order: the attacker that does not adapt."""

import numpy as np

from collude.attacker.releases.strategies.base import Questions, Turn


class Everybody:
    """All that is open, at once. Where slots are few, chance decides what is answered."""

    name = "everybody"

    def next(self, turn: Turn) -> Questions:
        """Return all open questions in random order; nothing follows in this epoch."""
        handle, silo, attribute = np.nonzero(turn.open)
        order = turn.rng.permutation(len(handle))
        return Questions(handle[order], silo[order], attribute[order], last=True)
