"""What a study is, and the plainest way to run one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from collude.common.randomness import Entropy, party_seed

Value: TypeAlias = float | int | str | bool | None
Row: TypeAlias = dict[str, Value]
"""One line of a study's tables; `table` says of which. Numbers are unrounded."""

PARTY = "study"


@dataclass(frozen=True)
class Cell:
    """One piece of work: it may run anywhere and in any order, and its rows can be kept.

    Attributes:
        key: unique in the study; names the cell's random stream.
        work: (generator, **arguments) -> rows; a function of a module, so that it can travel.
        arguments: plain values.
        simulated: Monte Carlo: runs with `check` only, and is worth a process of its own.
    """

    key: str
    work: Callable[..., list[Row]]
    arguments: Mapping[str, Any]
    simulated: bool = False


def play(key: str, work: Callable[..., list[Row]], arguments: Mapping[str, Any]) -> Cell:
    """Return a Monte Carlo cell; the arguments are kept as they are now."""
    return Cell(key, work, dict(arguments), simulated=True)


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, what is measured, and whether it holds.

    Attributes:
        claim: what is claimed.
        paper: the paper's own number or word.
        measured: our numbers, to the digits that are worth printing.
        verdict: begins with `holds`, `FALSE`, or what it holds for; follows from the rows.
    """

    claim: str
    paper: str
    measured: str
    verdict: str

    @property
    def text(self) -> dict[str, str]:
        """The four parts by name."""
        return {
            "claim": self.claim,
            "paper": self.paper,
            "measured": self.measured,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Line:
    """One curve of a figure: (x, y) pairs and how they are drawn.

    Attributes:
        label: in the legend.
        x: where.
        y: what.
        kind: `line`, `dashed` for an estimate that promises nothing, `bound`, or `points`.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    kind: str = "line"


@dataclass(frozen=True)
class Figure:
    """A figure as data; whoever has a drawing library draws it."""

    title: str
    x: str
    y: str
    lines: Sequence[Line]
    logarithmic: bool = False


@dataclass(frozen=True)
class Study:
    """One study.

    Attributes:
        name: on the command line, and of its preset file.
        summary: one line.
        parameters: a frozen dataclass; a preset gives its fields.
        cells: (parameters, check) -> the work, Monte Carlo only if `check`.
        conclude: (parameters, rows) -> claims.
        figure: rows -> what is worth seeing.
    """

    name: str
    summary: str
    parameters: type[Any]
    cells: Callable[[Any, bool], Iterable[Cell]]
    conclude: Callable[[Any, Sequence[Row]], Sequence[Claim]]
    figure: Callable[[Sequence[Row]], Figure]

    def work(self, parameters: Any, *, check: bool) -> list[Cell]:
        """Return all cells."""
        return list(self.cells(parameters, check))


@dataclass(frozen=True)
class Outcome:
    """What a study found."""

    rows: Sequence[Row]
    claims: Sequence[Claim] = field(default_factory=tuple)


def cell_generator(study: str, cell: Cell, seed: int) -> np.random.Generator:
    """Return the cell's own stream: further cells, or another order, change nothing."""
    entropy = Entropy(party_seed(seed, PARTY), simulated=True)
    return entropy.generator(f"{study}/{cell.key}")


def run_cell(study: str, cell: Cell, seed: int) -> list[Row]:
    """Return the rows of one cell."""
    return cell.work(cell_generator(study, cell, seed), **cell.arguments)


def run(study: Study, parameters: Any, seed: int, *, check: bool = False) -> Outcome:
    """Return rows and claims; a pure function of its arguments."""
    rows = [
        row
        for cell in study.work(parameters, check=check)
        for row in run_cell(study.name, cell, seed)
    ]
    return Outcome(rows, study.conclude(parameters, rows))


def of_table(rows: Iterable[Row], table: str) -> list[dict[str, Any]]:
    """Return the rows of one table."""
    return [row for row in rows if row["table"] == table]
