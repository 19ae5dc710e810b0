"""A study's figure as PNG, where matplotlib is installed."""

import io
from typing import TYPE_CHECKING, Any

from collude.studies.study import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES: dict[str, dict[str, Any]] = {
    "line": {"linewidth": 1.8},
    "dashed": {"linewidth": 1.6, "linestyle": (0, (4, 3))},
    "bound": {"linewidth": 2.2, "color": "black"},
    "points": {"linestyle": "none", "marker": "o", "markersize": 4},
}
MANY = 8


def png(figure: Figure) -> bytes | None:
    """Return the drawing, or None if nothing here can draw."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 -- slow, optional
        from matplotlib.figure import Figure as Drawing  # noqa: PLC0415 -- slow, optional
    except ImportError:
        return None
    drawing = Drawing(figsize=(7.5, 4.5), layout="constrained")
    FigureCanvasAgg(drawing)
    _fill(drawing.add_subplot(), figure)
    content = io.BytesIO()
    # No date and no version inside: the same numbers give the same file.
    drawing.savefig(content, format="png", dpi=110, metadata={"Software": None})
    return content.getvalue()


def _fill(axes: "Axes", figure: Figure) -> None:
    for line in figure.lines:
        axes.plot(line.x, line.y, label=line.label, **STYLES[line.kind])
    if figure.logarithmic:
        axes.set(xscale="log", yscale="log")
    axes.set(title=figure.title, xlabel=figure.x, ylabel=figure.y)
    axes.grid(visible=True, linewidth=0.3)
    axes.legend(fontsize=7 if len(figure.lines) > MANY else 8)
