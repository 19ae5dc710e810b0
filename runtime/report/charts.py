"""The report's figures, as PNG."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from collude.runtime.report.gallery import Column, Gallery
from collude.runtime.report.images import FULL

FloatArray = NDArray[np.float64]

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

UTILITY_COLOUR = "#0072b2"
ATTACK_COLOURS = ("#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333", "#0072b2")
ATTACK_MARKERS = "osD^vPX"
FARTHEST = 2.0
"""Errors beyond are drawn here: they would squeeze all others together."""

_RESOLUTION = 150
_GREY = "#555555"


@dataclass(frozen=True)
class Bar:
    """One method's figure, with its interval if it has one."""

    label: str
    value: float
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Dot:
    """One attack's error under one method."""

    label: str
    attack: str
    error: float


def utility_chart(bars: Sequence[Bar], metric: str) -> bytes:
    """Return a PNG: each method's utility with its 95 % interval."""

    def draw(axes: "Axes") -> None:
        for row, bar in enumerate(bars):
            if bar.interval:
                axes.plot(bar.interval, (row, row), color=UTILITY_COLOUR, linewidth=3, alpha=0.45)
            axes.plot(bar.value, row, "o", color=UTILITY_COLOUR, markersize=8)
            axes.annotate(
                f"{bar.value:.3f}",
                (bar.value, row),
                xytext=(0, 8),
                textcoords="offset points",
                ha="center",
                color=_GREY,
            )
        axes.set_xlabel(f"{metric}, with its 95 % interval")

    return _chart([bar.label for bar in bars], draw)


def attack_chart(dots: Sequence[Dot]) -> bytes:
    """Return a PNG: the centred relative error of each attack under each method."""
    labels = list(dict.fromkeys(dot.label for dot in dots))
    attacks = list(dict.fromkeys(dot.attack for dot in dots))

    def draw(axes: "Axes") -> None:
        for number, attack in enumerate(attacks):
            mine = [dot for dot in dots if dot.attack == attack]
            axes.plot(
                [min(dot.error, FARTHEST) for dot in mine],
                [labels.index(dot.label) for dot in mine],
                ATTACK_MARKERS[number % len(ATTACK_MARKERS)],
                color=ATTACK_COLOURS[number % len(ATTACK_COLOURS)],
                markersize=8,
                label=attack,
                clip_on=False,
            )
        axes.axvline(1.0, color=_GREY, linestyle="--", linewidth=1)
        farthest = max(dot.error for dot in dots)
        axes.set_xlim(left=0, right=min(FARTHEST, max(1.15, 1.08 * farthest)))
        beyond = f"; {FARTHEST:g}: that or more" if farthest > FARTHEST else ""
        axes.set_xlabel(f"centred relative error (dashed: the average record alone{beyond})")
        axes.figure.legend(loc="outside upper center", ncols=3, frameon=False)

    return _chart(labels, draw)


def gallery_figure(gallery: Gallery) -> bytes:
    """Return a PNG of a gallery, for a page or a talk: a strip of pictures for each column."""
    rows, columns = len(gallery.columns[0].records), len(gallery.columns)
    figure = new_figure(1.25 * columns, 1.15 * rows + 1.5)
    axes = figure.subplots(1, columns, squeeze=False)[0]
    for strip, column in zip(axes, gallery.columns, strict=True):
        strip.set_title(_title(column, gallery), fontsize=7)
        strip.imshow(_strip(column.records, gallery), cmap="gray", vmin=0.0, vmax=FULL)
        strip.set_axis_off()
        tag = column.glance.tag if column.glance else ""
        strip.text(0.5, -0.01, tag, ha="center", va="top", fontsize=8, transform=strip.transAxes)
    return png_of(figure)


def _title(column: Column, gallery: Gallery) -> str:
    if column.method:
        return f"{column.method}\n{column.noise or column.about}\n{column.attack}"
    return f"{column.attack}\n(synthetic)" if gallery.synthetic else column.attack


def _strip(records: FloatArray, gallery: Gallery) -> FloatArray:
    """Return the pictures of a column below each other, with a white line between them."""
    height, width = gallery.shape
    level = np.clip(records, 0.0, FULL).reshape(-1, height, width)
    light = FULL - level if gallery.ink else level
    gap = np.full((max(1, height // 16), width), FULL)
    return np.vstack([part for picture in light for part in (picture, gap)][:-1])


def _chart(labels: Sequence[str], draw: Callable[["Axes"], None]) -> bytes:
    figure = new_figure(7.0, 1.2 + 0.5 * len(labels))
    axes = figure.subplots()
    draw(axes)
    axes.set_yticks(range(len(labels)), [label.replace(", ", "\n", 1) for label in labels])
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(axis="x", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0, pad=9)
    return png_of(figure)


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of so many inches."""
    # pyplot would keep every figure alive and pick a window system
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 -- optional
    from matplotlib.figure import Figure  # noqa: PLC0415 -- optional

    figure = Figure(figsize=(width, height), dpi=_RESOLUTION, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def png_of(figure: "Figure") -> bytes:
    """Return a figure as PNG: the same figure is the same bytes."""
    buffer = io.BytesIO()
    # Without the version stamp the same figures are the same bytes.
    figure.savefig(buffer, format="png", metadata={"Software": None}, facecolor="white")
    return buffer.getvalue()
