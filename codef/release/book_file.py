"""A silo's answers on the disk, before they are sent: a restart draws nothing a second time."""

from collections.abc import Sequence
from pathlib import Path

from collude.codef.release.book import MemoryBook, Remembered
from collude.codef.release.journal import Journal
from collude.common.errors import DataInvalid
from collude.common.secret import Secret


class FileBook(Secret):
    """An `AnswerBook` in a file: a line an answer, `cohort person attribute level value`.

    Attributes:
        path: of the file, mode 0600.
    """

    def __init__(self, path: Path, party: str) -> None:
        """Open or make the book of a party; its folder must exist.

        Raises:
            DataInvalid: it cannot be used, is another party's, or is damaged; names the line.
        """
        self.path = path
        self._journal = Journal(path, "answers", party)
        self._memory = MemoryBook()
        for at, line in enumerate(self._journal.lines):
            answer = _read(line)
            if answer is None or self.known(*answer[:3]) is not None:
                raise DataInvalid(
                    "a line is no answer, or answers a question again",
                    party=party,
                    field=f"{path.name}, line {at + 2}",
                )
            self._memory.keep([answer])

    def known(self, cohort: int, person: int, attribute: int) -> tuple[int, int] | None:
        """Return level and value, or None."""
        return self._memory.known(cohort, person, attribute)

    def keep(self, answers: Sequence[Remembered]) -> None:
        """Remember; the answers are on the disk when it returns.

        Raises:
            DataInvalid: they could not be written; none of them is remembered then.
        """
        if answers:
            self._journal.append([" ".join(map(str, answer)) for answer in answers])
            self._memory.keep(answers)

    def holds(self, cohort: int) -> bool:
        """Return whether anything was answered about a cohort."""
        return self._memory.holds(cohort)

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()

    def __len__(self) -> int:
        """Return the number of answers."""
        return len(self._memory)


def _read(line: str) -> Remembered | None:
    try:
        found = Remembered(*map(int, line.split(" ")))
    except (TypeError, ValueError):
        return None
    return found if min(found[:4]) >= 0 else None
