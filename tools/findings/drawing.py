"""Figures of a stored study: a panel for each measure, a line with its interval for each series."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL = (4.6, 3.4)
"""Inches."""
_ACROSS = 2
_COMPARED = "at equal utility"
_DPI = 90
_LOG_FROM = 50.0
"""A measure that spans more than this factor is drawn on a logarithmic axis."""


def draw(document: Mapping[str, Any], file: Path) -> None:
    """Write the figure as PNG; the same numbers give the same file.

    Measures at one level only are left to the table, and where attacks are compared at equal
    utility, what that was computed from too.
    """
    levels: dict[str, set[float]] = {}
    for row in document["rows"]:
        levels.setdefault(row["measure"], set()).add(row["x"])
    measures = [measure for measure, found in levels.items() if len(found) > 1]
    measures = [measure for measure in measures if _COMPARED in measure] or measures
    across = min(_ACROSS, len(measures))
    down = -(-len(measures) // across)
    figure = Figure(figsize=(PANEL[0] * across, PANEL[1] * down), layout="constrained")
    FigureCanvasAgg(figure)
    for number, measure in enumerate(measures, start=1):
        axes = figure.add_subplot(down, across, number)
        _panel(axes, [row for row in document["rows"] if row["measure"] == measure])
        axes.set_xlabel(document["x"])
        axes.set_title(measure, fontsize=8)
    figure.savefig(file, dpi=_DPI, metadata={"Software": None})


def _panel(axes: "Axes", rows: list[dict[str, Any]]) -> None:
    for name in dict.fromkeys(row["series"] for row in rows):
        line = sorted((row for row in rows if row["series"] == name), key=lambda row: row["x"])
        x = [row["x"] for row in line]
        measured = any(row["n"] for row in line)
        style = {"marker": "o", "markersize": 4} if measured else {"linestyle": "--"}
        drawn = axes.plot(x, [row["mean"] for row in line], label=name, linewidth=1.5, **style)
        if measured:
            low, high = ([row[end] for row in line] for end in ("low", "high"))
            axes.fill_between(x, low, high, color=drawn[0].get_color(), alpha=0.15, linewidth=0)
    values = [row["mean"] for row in rows if row["mean"] > 0]
    if values and max(values) > _LOG_FROM * min(values):
        axes.set_yscale("log")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7, frameon=False)
