"""What a strategy is: it sees the answers so far and says what to ask next."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from collude.attacker.releases.channels import Floats, Integers, Mask
from collude.attacker.releases.evidence import evidence, log_likelihood, normalised, weights_of
from collude.attacker.releases.knowledge import Knowledge
from collude.attacker.releases.view import Answers


@dataclass(frozen=True, eq=False, repr=False)
class Questions:
    """What to ask in one round, all of it before any answer to it is seen.

    Attributes:
        handle: (q,) int64, place of the handle in ascending order.
        silo: (q,) int64, index into the knowledge's silos.
        attribute: (q,) int64, from 0.
        last: nothing more will be asked in this epoch of the silos that could be asked now.
    """

    handle: Integers
    silo: Integers
    attribute: Integers
    last: bool = False

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.handle)


_EMPTY = np.empty(0, dtype=np.int64)
NOTHING = Questions(_EMPTY, _EMPTY, _EMPTY, last=True)


@dataclass(frozen=True, eq=False, repr=False)
class Turn:
    """What a strategy may look at when it is its turn.

    Attributes:
        knowledge: of the persons.
        answers: all so far in this period, in the order in which they were asked for.
        open: (handles, K, m) bool: what can be asked now. Not what was answered before, nor a
            silo that withheld something about this handle in this epoch, nor one that is gone.
        signs: (n, columns), of the knowledge; see `evidence`.
        rng: the period's own random stream.
    """

    knowledge: Knowledge
    answers: Answers
    open: Mask
    signs: Floats
    rng: np.random.Generator

    @cached_property
    def belief(self) -> Floats:
        """P(person | answers about the handle) of each handle, (handles, n)."""
        pieces = evidence(self.knowledge, self.answers)
        weights = weights_of(pieces, self.open.shape[0], self.signs.shape[1])
        return normalised(log_likelihood(weights, self.signs))


class Strategy(Protocol):
    """What to ask next, as a function of the turn. It may keep a state of its own for a period."""

    @property
    def name(self) -> str:
        """What a scenario calls it."""
        ...

    def next(self, turn: Turn) -> Questions:
        """Return the questions of the next round; none ends the epoch for all silos.

        They must be open, each asked once. It is called again when all answers are there.

        Raises:
            AttackImpossible: the knowledge is not of a kind that this strategy can use.
        """
        ...
