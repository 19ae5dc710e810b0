"""Experiment 1: does the attacker's error fall from 1 to 0 at k*, and where does it cross 1/2?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from collude.codef.leakage import rr_cutoff_rate, rr_information
from collude.codef.risk import exact_error, silos_at_error
from collude.studies.agreement import agreement
from collude.studies.curve import count_at, margin, outside, point, scale, simulated
from collude.studies.study import Cell, Claim, Figure, Line, Row, Study, of_table
from collude.studies.words import listed, verdict

PAPERS_CROSSING = 1.5
CLOSE = 0.1
AT = (0.25, 1.0, 2.0)
NEARLY = 0.05


@dataclass(frozen=True)
class Parameters:
    """The grid.

    Attributes:
        persons: n.
        epsilons: of every answer.
        shares: k/k* of the points.
        vast: n of the table of the sharp constant, at epsilon 1.
        vast_shares: its k/k*.
        trials: games a point, with `check`.
    """

    persons: tuple[int, ...]
    epsilons: tuple[float, ...]
    shares: tuple[float, ...]
    vast: tuple[float, ...]
    vast_shares: tuple[float, ...]
    trials: int


def cells(parameters: Parameters, check: bool) -> list[Cell]:  # noqa: FBT001 -- Study's shape
    """Return one cell for each curve, one for the table, and one for each simulated curve."""
    pairs = list(product(parameters.persons, parameters.epsilons))
    found = [
        Cell(f"curve/{n}/{e:g}", curve, {"persons": n, "epsilon": e, "shares": parameters.shares})
        for n, e in pairs
    ]
    vast = {"persons": parameters.vast, "shares": parameters.vast_shares}
    found.append(Cell("sharp", sharp, vast))
    for n, e in pairs if check else ():
        counts = [count_at(n, e, share) for share in parameters.shares]
        found.append(Cell(f"simulated/{n}/{e:g}", simulated, {
            "persons": n, "epsilon": e, "counts": counts, "trials": parameters.trials,
        }, simulated=True))  # fmt: skip
    return found


def curve(
    _: np.random.Generator, persons: int, epsilon: float, shares: Sequence[float]
) -> list[Row]:
    """Return the points of one curve, and where it crosses."""
    rows: list[Row] = [
        {"table": "curve", **point(persons, epsilon, count_at(persons, epsilon, share))}
        for share in shares
    ]
    at = {
        f"error_at_{share:g}": float(exact_error(persons, epsilon, count))
        for share in (*AT, PAPERS_CROSSING)
        for count in [count_at(persons, epsilon, share)]
    }
    half = silos_at_error(persons, epsilon, 0.5)
    crossing: Row = {
        "table": "crossing",
        "persons": persons,
        "epsilon": epsilon,
        "critical_silos": scale(persons, epsilon),
        "count_at_half": half,
        "share_at_half": half / scale(persons, epsilon),
        "union_from": rr_information(epsilon) / rr_cutoff_rate(epsilon),
        **at,
    }
    return [*rows, crossing]


def sharp(_: np.random.Generator, persons: Sequence[float], shares: Sequence[float]) -> list[Row]:
    """Return the exact error for vast numbers of persons: the constant is 1."""
    return [
        {
            "table": "sharp",
            "persons": n,
            "share": share,
            "exact_error": float(exact_error(n, 1.0, count_at(n, 1.0, share))),
        }
        for n in persons
        for share in shares
    ]


def conclude(_: Parameters, rows: Sequence[Row]) -> list[Claim]:
    """Return the claims of section 9.1."""
    points, crossings = of_table(rows, "curve"), of_table(rows, "crossing")
    below, above = outside(points)
    return [
        Claim(
            "no point lies below Fano's bound",
            "zero violations, yet 'never more than 4 % below'",
            f"{below}/{len(points)} below; smallest margin {margin(points):.3f}",
            verdict(holds=below == 0),
        ),
        Claim(
            "every curve lies within [Fano, union bound]",
            "within this band throughout",
            f"{below + above}/{len(points)} outside; the union bound is 1 up to "
            f"{listed([c['union_from'] for c in crossings], 2)} k*",
            verdict(holds=below + above == 0) + ": but the band is very wide",
        ),
        _crossing(crossings),
        _steepness(crossings),
        _sharp(of_table(rows, "sharp")),
        *agreement(rows),
    ]


def _crossing(crossings: list[dict[str, Any]]) -> Claim:
    by_persons: dict[int, list[dict[str, Any]]] = {}
    for row in crossings:
        by_persons.setdefault(row["persons"], []).append(row)
    said = "; ".join(
        f"n={n}: {listed([row['share_at_half'] for row in some], 3)}"
        for n, some in by_persons.items()
    )
    epsilons = " / ".join(f"{row['epsilon']:g}" for row in next(iter(by_persons.values())))
    shares = [row["share_at_half"] for row in crossings]
    return Claim(
        "the error crosses 0.5 near 1.5 k*",
        "1.5",
        f"{min(shares):.2f} to {max(shares):.2f} k*: {said} (epsilon {epsilons})",
        verdict(holds=all(abs(share - PAPERS_CROSSING) < CLOSE for share in shares)),
    )


def _steepness(crossings: list[dict[str, Any]]) -> Claim:
    at = {share: [row[f"error_at_{share:g}"] for row in crossings] for share in AT}
    said = ", ".join(
        f"{min(some):.2f} to {max(some):.2f} at {share:g} k*" for share, some in at.items()
    )
    middle = next((c for c in crossings if (c["persons"], c["epsilon"]) == (500, 1.0)), None)
    if middle:
        values = (f"{middle[f'error_at_{share:g}']:.3f}" for share in AT)
        said += f"; n=500, epsilon 1: {' / '.join(values)}"
    sharply = min(at[AT[0]]) > 1 - NEARLY and max(at[AT[-1]]) < NEARLY
    return Claim(
        "the error is about 1 below k* and about 0 above: a sharp transition",
        "P_e about 1 for k << k*, about 0 for k >> k*",
        said + f"; relative half-width sqrt(2/ln n), {math.sqrt(2 / math.log(500)):.0%} at n=500",
        verdict(holds=sharply, otherwise="only roughly"),
    )


def _sharp(table: list[dict[str, Any]]) -> Claim:
    low = [row for row in table if row["share"] < 1]
    high = [row for row in table if row["share"] > 1]
    by_persons: dict[float, list[float]] = {}
    for row in table:
        by_persons.setdefault(row["persons"], []).append(row["exact_error"])
    values = list(by_persons.values())
    shares = " / ".join(f"{row['share']:g}" for row in table[: len(values[0])])
    said = "; ".join(f"n={n:.0e}: {listed(some, 3)}" for n, some in by_persons.items())
    sharpens = _monotone(low, rising=True) and _monotone(high, rising=False)
    return Claim(
        "the constant of the threshold lies between 1 and 2",
        "1.5 to 2, from the union bound",
        f"error at k = {shares} k*, epsilon 1: {said}",
        "FALSE: the constant is 1" if sharpens else "not settled by these n",
    )


def _monotone(rows: list[dict[str, Any]], *, rising: bool) -> bool:
    """Return whether the error moves one way with n at every share."""
    by_share: dict[float, list[float]] = {}
    for row in rows:
        by_share.setdefault(row["share"], []).append(row["exact_error"])
    sign = 1 if rising else -1
    return all(sign * (some[-1] - some[0]) > 0 for some in by_share.values())


def figure(rows: Sequence[Row]) -> Figure:
    """Return the error over k/k* with the bounds of one setting."""
    points = of_table(rows, "curve")
    last = points[-1]
    keys = {(row["persons"], row["epsilon"]) for row in points}
    lines = [
        _line(points, n, e, "exact_error", f"exact, n={n}, epsilon {e:g}", "dashed")
        for n, e in sorted(keys)
    ]
    for name, label in (("fano_error", "Fano"), ("union_bound_error", "union bound")):
        lines.append(_line(points, last["persons"], last["epsilon"], name, label, "bound"))
    return Figure("Error of the attacker", "answers / k*", "error", lines)


def _line(
    points: list[dict[str, Any]], persons: int, epsilon: float, name: str, label: str, kind: str
) -> Line:
    some = [row for row in points if (row["persons"], row["epsilon"]) == (persons, epsilon)]
    return Line(label, [row["share"] for row in some], [row[name] for row in some], kind)


STUDY = Study(
    "phase-transition",
    "Experiment 1: the attacker's error over k/k*, and where it crosses one half",
    Parameters,
    cells,
    conclude,
    figure,
)
