"""What a study found: figures with intervals, as rows that are stored, tabled and drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

STUDENT = {2: 12.7062, 3: 4.3027, 5: 2.7764, 10: 2.2622}
"""Number of seeds -> the 97.5 % quantile of Student's t with one degree of freedom less."""
NORMAL = 1.9600
"""The same of the normal distribution."""
_DECIMALS = 6
_SMALL, _LARGE = 0.01, 10.0


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        measure: what was measured.
        series: of what: an attack, an estimator, a placement of noise.
        x: at which level.
        mean: over `n` repetitions.
        low: lower end of the 95 % interval.
        high: upper end.
        n: repetitions: seeds, or people.
    """

    measure: str
    series: str
    x: float
    mean: float
    low: float
    high: float
    n: int


def over_seeds(measure: str, series: str, x: float, values: Sequence[float]) -> Row:
    """Return the mean over n seeds, with Student's 95 % interval; `STUDENT` must know n."""
    found = np.asarray(values, dtype=np.float64)
    mean, n = float(found.mean()), len(found)
    half = STUDENT[n] * float(found.std(ddof=1)) / n**0.5
    return Row(measure, series, x, mean, mean - half, mean + half, n)


def share(measure: str, series: str, x: float, hits: NDArray[np.bool_]) -> Row:
    """Return a share of independent trials, with Wilson's 95 % interval."""
    z, n, p = NORMAL, len(hits), float(hits.mean())
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5 / (1 + z * z / n)
    return Row(measure, series, x, p, centre - half, centre + half, n)


def exact(measure: str, series: str, x: float, value: float) -> Row:
    """Return a figure that is computed, not measured."""
    return Row(measure, series, x, value, value, value, 0)


@dataclass(frozen=True)
class Study:
    """All that a study found.

    Attributes:
        name: under which it is run.
        x: what `Row.x` is, in words.
        settings: sizes, seeds, data.
        rows: what was found.
    """

    name: str
    x: str
    settings: Mapping[str, Any]
    rows: Sequence[Row] = field(repr=False)

    def document(self) -> dict[str, Any]:
        """Return it as JSON types, rounded to six decimals."""
        rows = [
            {k: round(v, _DECIMALS) if isinstance(v, float) else v for k, v in asdict(row).items()}
            for row in self.rows
        ]
        return {"study": self.name, "x": self.x, "settings": dict(self.settings), "rows": rows}


def table(document: Mapping[str, Any], measure: str) -> str:
    """Return one measure of a stored study as a Markdown table: levels down, series across."""
    rows = [row for row in document["rows"] if row["measure"] == measure]
    series = list(dict.fromkeys(row["series"] for row in rows))
    cells = {(row["x"], row["series"]): _cell(row) for row in rows}
    lines = [
        f"| {document['x']} | {' | '.join(series)} |",
        f"| --- |{' --- |' * len(series)}",
    ]
    for x in sorted({row["x"] for row in rows}):
        found = (cells.get((x, name), "") for name in series)
        lines.append(f"| {x:g} | {' | '.join(found)} |")
    return f"*{measure}*\n\n" + "\n".join(lines)


def _cell(row: Mapping[str, Any]) -> str:
    mean = _number(row["mean"])
    if not row["n"] or row["low"] == row["high"]:
        return mean
    return f"{mean} ({_number(row['low'])} to {_number(row['high'])})"


def _number(value: float) -> str:
    size = abs(value)
    digits = 5 if 0.0 < size < _SMALL else 3 if size < _LARGE else 1
    return f"{value:.{digits}f}"
