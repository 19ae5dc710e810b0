"""The figures of a run in which silos answer about persons, as PNG."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from collude.runtime.report.charts import ATTACK_COLOURS, UTILITY_COLOUR, new_figure, png_of
from collude.runtime.report.codef_documents import WITHHELD, Period, Scored
from collude.runtime.report.release_words import granted, used_words

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL, HEIGHT = 3.3, 3.4
MEASURED, EXACT, BOUND = ATTACK_COLOURS[0], UTILITY_COLOUR, "#1c2024"
_WITHHELD = "#d4d7db"
_GREY = "#555555"
_STRONG, _FAINT = 0.85, 0.25
"""Depth of the colour of the first and the last level."""


def success_chart(periods: Sequence[Period], *, pairs: bool) -> bytes:
    """Return a PNG: success against answers, a panel for each policy with a curve.

    Args:
        periods: one or more.
        pairs: the answers come in pairs.
    """
    figure, panels = _panels(periods, sharex=True)
    highest = max(point.guaranteed or point.success for p in periods for point in p.curve)
    for axes, period in zip(panels, periods, strict=True):
        _curves(axes, period.curve)
        if period.risk is not None:
            axes.axhline(period.risk, color=_GREY, linestyle=":", linewidth=1, label="chosen risk")
        for count in (period.safe_slots, *(period.thresholds or ())[:1]):
            if count is not None and not pairs:
                axes.axvline(count, color=_GREY, linestyle="-.", linewidth=1, label="its limit")
        axes.set_ylim(0, min(1.0, 1.1 * highest))
        axes.set_xlabel("pairs of answers about a person" if pairs else "answers about a person")
    panels[0].set_ylabel("named rightly")
    _legend(figure, panels)
    return png_of(figure)


def _curves(axes: "Axes", curve: Sequence[Scored]) -> None:
    counts = [point.answers_per_target for point in curve]
    low, high = zip(*(point.interval for point in curve), strict=True)
    axes.fill_between(counts, low, high, color=MEASURED, alpha=0.2, linewidth=0)
    measured = [point.success for point in curve]
    axes.plot(counts, measured, color=MEASURED, linewidth=2, label="measured, with 95 % interval")
    for label, style, colour, values in (
        ("exact, for the standard attack", "--", EXACT, [p.exact for p in curve]),
        ("guaranteed, for one person's answers", "-", BOUND, [p.guaranteed for p in curve]),
    ):
        known = [(c, v) for c, v in zip(counts, values, strict=True) if v is not None]
        if known:
            axes.plot(*zip(*known, strict=True), style, color=colour, linewidth=1.4, label=label)


def switch_chart(periods: Sequence[Period]) -> bytes:
    """Return a PNG: how many persons stood at each level under each lease, stacked."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 -- optional

    figure, panels = _panels(periods)
    colours = _colours({level for period in periods for level in period.levels})
    for axes, period in zip(panels, periods, strict=True):
        leases = granted(period)
        epochs = [lease.epoch + 1 for lease in leases]
        base = np.zeros(len(leases))
        for name in (*(f"{level:g}" for level in period.levels), WITHHELD):
            persons = np.array([lease.persons_by_level.get(name, 0) for lease in leases], float)
            label = WITHHELD if name == WITHHELD else f"epsilon {name}"
            axes.bar(epochs, persons, bottom=base, width=0.85, color=colours[name], label=label)
            base += persons
        axes.set_xlabel("epoch")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    panels[0].set_ylabel("persons")
    _legend(figure, panels)
    return png_of(figure)


def _colours(levels: Collection[float]) -> dict[str, tuple[float, ...] | str]:
    """Return a colour for each level, deep where answers tell most, and grey for none."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415 -- optional

    blue = np.array(to_rgb(UTILITY_COLOUR))
    shares = np.linspace(_STRONG, _FAINT, len(levels))
    depths = zip(sorted(levels, reverse=True), shares, strict=True)
    return {f"{level:g}": tuple(1 - share * (1 - blue)) for level, share in depths} | {
        WITHHELD: _WITHHELD
    }


def budget_chart(periods: Sequence[Period]) -> bytes:
    """Return a PNG: what was released beside the limit, a bar for each policy that has one."""
    figure = new_figure(7.0, 1.3 + 0.6 * len(periods))
    axes = figure.subplots()
    for row, period in enumerate(periods):
        over = period.overshoot
        share = 0.0 if over is None else over.share_used or 0.0
        colour = MEASURED if over is not None and over.persons_over else UTILITY_COLOUR
        axes.barh(row, 100 * share, height=0.5, color=colour)
        axes.annotate(
            used_words(period),
            (100 * max(share, 1.0), row),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            color=_GREY,
            fontsize=8,
        )
    axes.axvline(100, color=BOUND, linewidth=1.2)
    axes.set_yticks(range(len(periods)), [period.policy for period in periods])
    axes.invert_yaxis()
    axes.margins(x=0.35)
    axes.set_xlim(left=0)
    axes.set_xlabel("released about a person, % of the limit (the referee's count)")
    axes.spines[["top", "right"]].set_visible(False)
    return png_of(figure)


def _panels(periods: Sequence[Period], *, sharex: bool = False) -> "tuple[Figure, list[Axes]]":
    figure = new_figure(max(PANEL * len(periods), 4.5), HEIGHT)
    panels = list(figure.subplots(1, len(periods), squeeze=False, sharey=True, sharex=sharex)[0])
    for axes, period in zip(panels, periods, strict=True):
        axes.set_title(period.policy, fontsize=10)
        axes.grid(axis="y", color="#dddddd", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    return figure, panels


def _legend(figure: "Figure", panels: "Sequence[Axes]") -> None:
    """Explain each kind of line once."""
    found: dict[str, Artist] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(
        list(found.values()),
        list(found),
        loc="outside upper center",
        ncols=3,
        frameon=False,
        fontsize=8,
    )
