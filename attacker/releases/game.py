"""One period as the querier sees it: what was answered, and what can still be asked."""

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from collude.attacker.releases.channels import Integers
from collude.attacker.releases.evidence import signs
from collude.attacker.releases.knowledge import Knowledge
from collude.attacker.releases.strategies.base import Questions, Strategy, Turn
from collude.attacker.releases.view import Answers, ReleaseView, joined
from collude.common.errors import PluginInvalid
from collude.common.protocol.release_messages import WITHHELD


class Game:
    """Questions and answers of one period. Answers stay in the order of the questions."""

    def __init__(
        self, knowledge: Knowledge, handles: tuple[bytes, ...], rng: np.random.Generator
    ) -> None:
        """Begin with all unanswered."""
        self.knowledge, self.handles, self._rng = knowledge, handles, rng
        self._signs = signs(knowledge)
        self._parts: list[Answers] = []
        self._unanswered = np.ones(knowledge.shape, dtype=bool)
        self._has_slots = np.ones(knowledge.shape[:2], dtype=bool)
        self._round: Questions | None = None
        self._got: tuple[Integers, Integers] | None = None
        self._epochs: Integers = np.zeros(0, dtype=np.int64)
        self.asked = 0

    @property
    def view(self) -> ReleaseView:
        """All that was answered until now."""
        return ReleaseView(self.knowledge, self.handles, self.answers)

    @property
    def answers(self) -> Answers:
        """All answers until now."""
        if len(self._parts) > 1:
            self._parts = [joined(self._parts)]
        return joined(self._parts)

    def opened(self, silo: int) -> None:
        """Note that a silo has a new lease: what it withheld it may answer now."""
        self._has_slots[:, silo] = True

    def choose(self, strategy: Strategy, silos: Sequence[int], epochs: Sequence[int]) -> Questions:
        """Return what the strategy asks next of these silos; answers to it are expected.

        Args:
            strategy: chooses.
            silos: whose windows are open.
            epochs: of each silo of the knowledge, whatever it is of those that are not open.

        Raises:
            PluginInvalid: it asks what is not open, or something twice.
        """
        open_ = self._unanswered & self._has_slots[:, :, None]
        shut = [i for i in range(self.knowledge.shape[1]) if i not in set(silos)]
        open_[:, shut] = False
        turn = Turn(self.knowledge, self.answers, open_, self._signs, self._rng)
        questions = strategy.next(turn)
        where = _places(questions, open_.shape, strategy)
        if not open_.reshape(-1)[where].all() or len(np.unique(where)) != len(where):
            _reject(strategy, "open questions, each once", "another, or one twice")
        withheld = np.full(len(questions), WITHHELD, dtype=np.int64)
        self._round, self._got = questions, (np.zeros_like(withheld), withheld)
        self._epochs = np.asarray(epochs, dtype=np.int64)[questions.silo]
        self.asked += len(questions)
        return questions

    def answer(self, positions: Integers, values: Integers, levels: Integers) -> None:
        """Take the answers to the questions at these positions of the round."""
        if self._got is not None:
            self._got[0][positions], self._got[1][positions] = values, levels

    def close_round(self, epochs: Sequence[int]) -> None:
        """Enter the round's answers; who withheld something has nothing more about that handle.

        Args:
            epochs: of each silo now; what it withheld in an earlier one does not count.
        """
        if self._round is None or self._got is None:
            return
        asked, (values, levels) = self._round, self._got
        told = np.flatnonzero(levels != WITHHELD)
        columns = (asked.handle, asked.silo, asked.attribute, values, levels, self._epochs)
        self._parts.append(Answers(*(column[told] for column in columns)))
        self._unanswered[asked.handle[told], asked.silo[told], asked.attribute[told]] = False
        kept = (levels == WITHHELD) & (self._epochs == np.asarray(epochs)[asked.silo])
        self._has_slots[asked.handle[kept], asked.silo[kept]] = False
        self._round = self._got = None


def _places(questions: Questions, shape: tuple[int, ...], strategy: Strategy) -> Integers:
    columns = (questions.handle, questions.silo, questions.attribute)
    try:
        return np.asarray(np.ravel_multi_index(columns, shape), dtype=np.int64)
    except (ValueError, TypeError) as error:
        _reject(strategy, f"indices into {shape}", str(error))


def _reject(strategy: Strategy, expected: str, got: str) -> NoReturn:
    raise PluginInvalid(
        "the strategy asks what cannot be asked", field=strategy.name, expected=expected, got=got
    )
