"""What a querier was told in one period: its view, and all that an attack may look at."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from collude.attacker.releases.channels import Integers
from collude.attacker.releases.knowledge import Knowledge
from collude.codef.numeric.checks import refuse


@dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """Answers in the order in which they were asked for; what was withheld is not among them.

    Attributes:
        handle: (a,) int64, place of the handle in ascending order, from 0.
        silo: (a,) int64, index into the knowledge's silos.
        attribute: (a,) int64, from 0.
        value: (a,) int64, a bit, or grid steps.
        level: (a,) int64, from 0.
        epoch: (a,) int64, from 0.
    """

    handle: Integers
    silo: Integers
    attribute: Integers
    value: Integers
    level: Integers
    epoch: Integers

    def __post_init__(self) -> None:
        """Keep read-only copies.

        Raises:
            ParameterInvalid: the columns differ in length.
        """
        for field in fields(self):
            column = np.array(getattr(self, field.name), dtype=np.int64)
            if column.shape != (len(self.handle),):
                refuse(field.name, f"shape ({len(self.handle)},)", column.shape)
            column.setflags(write=False)
            object.__setattr__(self, field.name, column)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.handle)

    def __repr__(self) -> str:
        """Return how many there are."""
        return f"Answers({len(self)})"

    def taken(self, chosen: Integers) -> "Answers":
        """Return the answers at these places, in their order."""
        return Answers(*(getattr(self, field.name)[chosen] for field in fields(self)))


COLUMNS = tuple(field.name for field in fields(Answers))
NONE = Answers(*(np.empty(0, dtype=np.int64) for _ in COLUMNS))


def joined(parts: Sequence[Answers]) -> Answers:
    """Return all answers of several parts, in their order."""
    whole = [NONE, *parts]
    return Answers(*(np.concatenate([getattr(p, name) for p in whole]) for name in COLUMNS))


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseView:
    """What the querier holds after a period.

    Attributes:
        knowledge: of the persons, from before.
        handles: 16 bytes each, ascending.
        answers: what the silos said.
    """

    knowledge: Knowledge
    handles: tuple[bytes, ...]
    answers: Answers

    def __post_init__(self) -> None:
        """Check that every answer is about something that can be asked.

        Raises:
            ParameterInvalid: an index is out of range, a value cannot be, or something was
                answered twice.
        """
        answers, channel = self.answers, self.knowledge.channel
        _, silos, each = self.knowledge.shape
        tops = (len(self.handles), silos, each, channel.levels)
        for name, top in zip(("handle", "silo", "attribute", "level"), tops, strict=True):
            column = getattr(answers, name)
            if len(column) and not 0 <= column.min() <= column.max() < top:
                refuse(name, f"from 0 to below {top}", f"{column.min()} to {column.max()}")
        if not channel.allows(answers.value, answers.level).all():
            refuse("value", "an answer of this mechanism", "another number")
        shape = (len(self.handles), silos, each)
        pairs = np.ravel_multi_index((answers.handle, answers.silo, answers.attribute), shape)
        if len(np.unique(pairs)) != len(pairs):
            refuse("answers", "one for each handle, silo and attribute", "a second one")

    def __repr__(self) -> str:
        """Return the sizes."""
        return f"ReleaseView({self.knowledge}, {len(self.answers)} answers)"
