"""What a silo has answered: each question is answered once, and then repeated for ever."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from collude.common.secret import Secret


class Remembered(NamedTuple):
    """One answer.

    Attributes:
        cohort: of persons, from 0.
        person: index in the cohort.
        attribute: from 0.
        level: at which it was answered.
        value: what was answered.
    """

    cohort: int
    person: int
    attribute: int
    level: int
    value: int


class AnswerBook(Protocol):
    """A silo's memory of its answers."""

    def known(self, cohort: int, person: int, attribute: int) -> tuple[int, int] | None:
        """Return level and value of the answer, or None: it was never asked."""
        ...

    def keep(self, answers: Sequence[Remembered]) -> None:
        """Remember answers to questions that were never answered; lasting when it returns."""
        ...

    def holds(self, cohort: int) -> bool:
        """Return whether anything was answered about a cohort."""
        ...


class MemoryBook(Secret):
    """A book that is gone with the process: for runs in which no silo comes back."""

    def __init__(self) -> None:
        """Begin empty."""
        self._answers: dict[tuple[int, int, int], tuple[int, int]] = {}
        self._cohorts: set[int] = set()

    def known(self, cohort: int, person: int, attribute: int) -> tuple[int, int] | None:
        """Return level and value, or None."""
        return self._answers.get((cohort, person, attribute))

    def keep(self, answers: Sequence[Remembered]) -> None:
        """Remember."""
        self._answers.update({answer[:3]: answer[3:] for answer in answers})
        self._cohorts.update(answer.cohort for answer in answers)

    def holds(self, cohort: int) -> bool:
        """Return whether anything was answered about a cohort."""
        return cohort in self._cohorts

    def __len__(self) -> int:
        """Return the number of answers."""
        return len(self._answers)
