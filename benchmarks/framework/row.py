"""One line of the table: what was compared, the budget, and what was measured."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Row:
    """A comparison against its budget.

    Attributes:
        work: what is done, and its size.
        against: what it is compared with.
        quantity: what is compared, for example "CPU" or "peak memory".
        measured: the figure, or None where a contender did not run.
        unit: "x" for a ratio; appended to the figure.
        at_least: the budget from below, or None.
        at_most: the budget from above, or None. A row without budget only informs.
        why: said where the budget is missed: what stands in the way.
        missing: why nothing was measured.
    """

    work: str
    against: str
    quantity: str
    measured: float | None
    unit: str = "x"
    at_least: float | None = None
    at_most: float | None = None
    why: str = ""
    missing: str = ""

    @property
    def budget(self) -> str:
        """The budget in words."""
        if self.at_least is not None:
            return f">= {self.at_least:g}{self.unit}"
        return "-" if self.at_most is None else f"<= {self.at_most:g}{self.unit}"

    @property
    def met(self) -> bool | None:
        """Whether the budget is met; None without a budget or a figure."""
        if self.measured is None or (self.at_least is None and self.at_most is None):
            return None
        low = -float("inf") if self.at_least is None else self.at_least
        high = float("inf") if self.at_most is None else self.at_most
        return low <= self.measured <= high

    @property
    def verdict(self) -> str:
        """Met, or by how much it falls short and why."""
        if self.measured is None:
            return f"not run: {self.missing}"
        if self.met is None:
            return "for information"
        word = "short" if self.at_least is not None else "over"
        return "met" if self.met else f"{word} by {self._distance():.0%}: {self.why}".rstrip(": ")

    def _distance(self) -> float:
        """Return the part of the budget that is missing, or exceeded."""
        bound = self.at_least if self.at_least is not None else self.at_most
        return abs((self.measured or 0.0) - (bound or 0.0)) / abs(bound or 1.0)

    def as_json(self) -> dict[str, Any]:
        """Return the fields and what follows from them, for a reader without this class."""
        return {**asdict(self), "budget": self.budget, "met": self.met}


def ratio(top: float | None, bottom: float | None) -> float | None:
    """Return top / bottom, or None where one of them was not measured."""
    return None if top is None or not bottom else top / bottom
