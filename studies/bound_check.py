"""Experiment 4: the error at n = 500, epsilon = 1, answer by answer, against the bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from collude.codef.leakage import rr_cutoff_rate, rr_information
from collude.codef.risk import silos_at_error
from collude.studies.agreement import SIMULATION, agreement
from collude.studies.curve import count_at, margin, outside, point, scale, simulated
from collude.studies.study import Cell, Claim, Figure, Line, Row, Study, of_table, play
from collude.studies.words import listed, straight, verdict

LATE = (2.0, 2.5, 3.0)
PAPERS_CROSSING, CLOSE = 1.5, 0.1
PAPERS_START = 2.0
AROUND = 0.15
"""How far from one half the error is still a line."""
A_CELL = 15
"""Points simulated together."""


@dataclass(frozen=True)
class Parameters:
    """The curve.

    Attributes:
        persons: n.
        epsilon: of every answer.
        counts: first and last number of answers, and the step.
        trials: games a point, with `check`.
    """

    persons: int
    epsilon: float
    counts: tuple[int, int, int]
    trials: int


def cells(parameters: Parameters, check: bool) -> list[Cell]:  # noqa: FBT001 -- Study's shape
    """Return a cell for the curve and some for its simulation."""
    first, last, step = parameters.counts
    counts = list(range(first, last + 1, step))
    setting: dict[str, Any] = {"persons": parameters.persons, "epsilon": parameters.epsilon}
    exact = Cell("curve", curve, {**setting, "counts": counts})
    setting["trials"] = parameters.trials
    played = [
        play(f"simulated/{some[0]}", simulated, {**setting, "counts": some})
        for some in (counts[start : start + A_CELL] for start in range(0, len(counts), A_CELL))
    ]
    return [exact, *played] if check else [exact]


def curve(_: np.random.Generator, persons: int, epsilon: float, counts: Sequence[int]) -> list[Row]:
    """Return the points, and what stands at 2, 2.5 and 3 k*."""
    rows: list[Row] = [{"table": "curve", **point(persons, epsilon, count)} for count in counts]
    late: list[Row] = [
        {"table": "late", "of": share, **point(persons, epsilon, count_at(persons, epsilon, share))}
        for share in LATE
    ]
    crossing: Row = {
        "table": "crossing",
        "critical_silos": scale(persons, epsilon),
        "share_at_half": silos_at_error(persons, epsilon, 0.5) / scale(persons, epsilon),
        "union_from": rr_information(epsilon) / rr_cutoff_rate(epsilon),
    }
    return [*rows, *late, crossing]


def conclude(_: Parameters, rows: Sequence[Row]) -> list[Claim]:
    """Return the claims of section 9.4."""
    points, (crossing,) = of_table(rows, "curve"), of_table(rows, "crossing")
    below, _above = outside(points)
    return [
        Claim(
            "no point lies below Fano's bound",
            "zero violations, yet 'never more than 4 % below'",
            f"{below}/{len(points)} below; smallest margin {margin(points):.3f}",
            verdict(holds=below == 0),
        ),
        _union(points, crossing),
        _loose(of_table(rows, "late")),
        _transition(rows, crossing),
        *agreement(rows),
    ]


def _union(points: list[dict[str, Any]], crossing: dict[str, Any]) -> Claim:
    _, above = outside(list(points))
    start = crossing["union_from"]
    exactly = abs(start - PAPERS_START) < 0.005  # noqa: PLR2004 -- the paper's digits
    return Claim(
        "the union bound says nothing below 2 k*, and is never violated after",
        "trivial for k < 2 k*, zero violations",
        f"trivial up to {start:.3f} k*; {above}/{len(points)} above",
        "FALSE" if above else verdict(holds=exactly, otherwise=f"nearly: from {start:.3f} k*"),
    )


def _loose(late: list[dict[str, Any]]) -> Claim:
    shares = " / ".join(f"{row['of']:g}" for row in late)
    exact = " / ".join(f"{row['exact_error']:.2g}" for row in late)
    tight = all(row["union_bound_error"] < 2 * row["exact_error"] for row in late)
    return Claim(
        "the union bound shows where the attack succeeds",
        "the transition is consistent with its constant",
        f"at {shares} k*: union bound {listed([row['union_bound_error'] for row in late], 3)}, "
        f"Gallager {listed([row['gallager_error'] for row in late], 3)}, exact {exact}",
        verdict(holds=tight, otherwise="loose"),
    )


def _transition(rows: Sequence[Row], crossing: dict[str, Any]) -> Claim:
    share = crossing["share_at_half"]
    seen = _simulated_crossing(of_table(rows, SIMULATION))
    played = "" if seen is None else f"; Monte Carlo {seen / crossing['critical_silos']:.3f}"
    return Claim(
        "the transition occurs at about 1.5 k*",
        "1.5",
        f"exact {share:.3f}{played}",
        verdict(holds=abs(share - PAPERS_CROSSING) < CLOSE),
    )


def _simulated_crossing(rows: list[dict[str, Any]]) -> float | None:
    """Return where a line through the simulated points around one half passes it."""
    middle = [row for row in rows if abs(row["simulated"] - 0.5) < AROUND]
    if len(middle) < 2:  # noqa: PLR2004 -- a line
        return None
    slope, intercept, _ = straight(
        [row["count"] for row in middle], [row["simulated"] for row in middle]
    )
    return (0.5 - intercept) / slope


def figure(rows: Sequence[Row]) -> Figure:
    """Return the exact error between its bounds."""
    points = of_table(rows, "curve")
    names = {
        "fano_error": ("Fano: at least", "line"),
        "least_error": ("universal bound: at least", "line"),
        "exact_error": ("exact", "dashed"),
        "gallager_error": ("Gallager: at most", "line"),
        "union_bound_error": ("union bound: at most", "line"),
    }
    lines = [
        Line(label, [row["share"] for row in points], [row[name] for row in points], kind)
        for name, (label, kind) in names.items()
    ]
    played = of_table(rows, SIMULATION)
    if played:
        by_count = {row["count"]: row["share"] for row in points}
        x = [by_count[row["count"]] for row in played]
        lines.append(Line("Monte Carlo", x, [row["simulated"] for row in played], "points"))
    title = f"n = {points[0]['persons']}, epsilon = {points[0]['epsilon']:g}"
    return Figure(title, "answers / k*", "error", lines)


STUDY = Study(
    "bound-check",
    "Experiment 4: does the error stay between Fano's and the union bound, and how close are they?",
    Parameters,
    cells,
    conclude,
    figure,
)
