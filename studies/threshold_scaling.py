"""Experiment 2: how the number of answers at which half of the attacks succeed grows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from collude.codef.leakage import rr_information
from collude.codef.risk import exact_error, silos_at_error
from collude.studies.agreement import agreement
from collude.studies.curve import count_at, scale, simulated
from collude.studies.study import Cell, Claim, Figure, Line, Row, Study, of_table
from collude.studies.words import straight, verdict

PAPERS_RATIO = 1.5
CLOSE = 0.1
UNIT = 0.1
"""How near to 1 a slope must be to be a near-unit slope."""


@dataclass(frozen=True)
class Parameters:
    """The two lines.

    Attributes:
        persons: n of the first line.
        epsilon: of the first line.
        epsilons: of the second line.
        fixed_persons: n of the second line.
        vast: n far beyond, at `epsilon`.
        trials: games a point, with `check`.
    """

    persons: tuple[int, ...]
    epsilon: float
    epsilons: tuple[float, ...]
    fixed_persons: int
    vast: tuple[float, ...]
    trials: int


def cells(parameters: Parameters, check: bool) -> list[Cell]:  # noqa: FBT001 -- Study's shape
    """Return one cell for each line and one for each simulated point."""
    over_persons = [(n, parameters.epsilon) for n in parameters.persons]
    over_epsilon = [(parameters.fixed_persons, e) for e in parameters.epsilons]
    vast = [(n, parameters.epsilon) for n in parameters.vast]
    found = [
        Cell(table, line, {"table": table, "settings": settings})
        for table, settings in (("n", over_persons), ("epsilon", over_epsilon), ("vast", vast))
    ]
    for n, e in sorted({*over_persons, *over_epsilon}) if check else ():
        found.append(Cell(f"simulated/{n}/{e:g}", simulated, {
            "persons": n, "epsilon": e, "counts": [max(1, round(silos_at_error(n, e, 0.5)))],
            "trials": parameters.trials,
        }, simulated=True))  # fmt: skip
    return found


def line(_: np.random.Generator, table: str, settings: Sequence[tuple[float, float]]) -> list[Row]:
    """Return where half of the attacks succeed, for each (persons, epsilon)."""
    rows: list[Row] = []
    for persons, epsilon in settings:
        half = silos_at_error(persons, epsilon, 0.5)
        beyond = exact_error(persons, epsilon, count_at(persons, epsilon, PAPERS_RATIO))
        rows.append({
            "table": table,
            "persons": persons,
            "epsilon": epsilon,
            "critical_silos": scale(persons, epsilon),
            "count_at_half": half,
            "ratio": half / scale(persons, epsilon),
            "error_at_1.5": float(beyond),
        })
    return rows


def conclude(parameters: Parameters, rows: Sequence[Row]) -> list[Claim]:
    """Return the claims of section 9.2."""
    over_persons, over_epsilon = of_table(rows, "n"), of_table(rows, "epsilon")
    return [
        _ratio(over_persons + over_epsilon, of_table(rows, "vast")),
        _persons(over_persons, parameters.epsilon),
        _epsilons(over_epsilon, parameters.fixed_persons),
        *agreement(rows),
    ]


def _ratio(rows: list[dict[str, Any]], vast: list[dict[str, Any]]) -> Claim:
    low, high = (choose(rows, key=lambda row: row["ratio"]) for choose in (min, max))
    beyond = [row["error_at_1.5"] for row in rows]
    far = ", ".join(f"{row['ratio']:.3f} at n={row['persons']:.0e}" for row in vast)
    return Claim(
        "the crossing is about 1.5 k* in all settings",
        "1.5",
        f"{low['ratio']:.3f} (n={low['persons']:g}, epsilon {low['epsilon']:g}) to "
        f"{high['ratio']:.3f} (n={high['persons']:g}, epsilon {high['epsilon']:g}), "
        f"drifting to 1: {far}; "
        f"at 1.5 k* the error is {min(beyond):.2f} to {max(beyond):.2f}",
        verdict(holds=all(abs(row["ratio"] - PAPERS_RATIO) < CLOSE for row in rows)),
    )


def _persons(rows: list[dict[str, Any]], epsilon: float) -> Claim:
    doublings = [math.log2(row["persons"]) for row in rows]
    counts = [row["count_at_half"] for row in rows]
    slope, intercept, fit = straight(doublings, counts)
    steep = straight(np.log(doublings).tolist(), np.log(counts).tolist())[0]
    theory = math.log(2) / rr_information(epsilon)
    return Claim(
        "the crossing is proportional to log2 n, with near-unit slope",
        "near-unit slope",
        f"R2 {fit:.5f}, slope {slope:.2f} silos a doubling (theory ln 2/I_1 = {theory:.2f}), "
        f"intercept {intercept:.1f}, log-log slope {steep:.2f}",
        _linear(fit, slope, steep),
    )


def _epsilons(rows: list[dict[str, Any]], persons: int) -> Claim:
    inverse = [row["epsilon"] ** -2 for row in rows]
    counts = [row["count_at_half"] for row in rows]
    slope, intercept, fit = straight(inverse, counts)
    steep = straight(np.log(inverse).tolist(), np.log(counts).tolist())[0]
    last = max(row["epsilon"] for row in rows)
    return Claim(
        "the crossing is proportional to 1/epsilon^2, with near-unit slope",
        "near-unit slope",
        f"R2 {fit:.5f}, slope {slope:.1f} (8 ln n = {8 * math.log(persons):.1f}), "
        f"intercept {intercept:+.1f}, log-log slope {steep:.3f}; at epsilon {last:g} I_1 is "
        f"{rr_information(last):.3f}, not epsilon^2/8 = {last**2 / 8:.3f}",
        _linear(fit, slope, steep),
    )


def _linear(fit: float, slope: float, steep: float) -> str:
    is_line = fit > 0.999  # noqa: PLR2004 -- a line to the eye
    is_unit = abs(slope - 1) < UNIT or abs(steep - 1) < UNIT
    if is_line and is_unit:
        return "holds"
    return f"{'linear: yes' if is_line else 'linear: no'}; near-unit slope: " + (
        "holds" if is_unit else "FALSE"
    )


def figure(rows: Sequence[Row]) -> Figure:
    """Return both lines, each over its own theory."""
    over_persons, over_epsilon = of_table(rows, "n"), of_table(rows, "epsilon")
    lines = [
        Line(
            label,
            [row["critical_silos"] for row in some],
            [row["count_at_half"] for row in some],
            "points",
        )
        for label, some in (("over n", over_persons), ("over epsilon", over_epsilon))
    ]
    ends = sorted(row["critical_silos"] for row in over_persons + over_epsilon)
    ends = [ends[0], ends[-1]]
    lines += [
        Line("1.5 k*, the paper's", ends, [1.5 * end for end in ends]),
        Line("k*", ends, ends),
    ]
    return Figure(
        "Answers at which half of the attacks succeed", "k*", "answers", lines, logarithmic=True
    )


STUDY = Study(
    "threshold-scaling",
    "Experiment 2: how the crossing grows with the number of persons and with 1/epsilon^2",
    Parameters,
    cells,
    conclude,
    figure,
)
