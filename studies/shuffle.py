"""Guideline G3: what a shuffler between the silos and the attacker is worth in this game."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from collude.codef.leakage import rr_bhattacharyya, rr_information, shuffled_information
from collude.codef.numeric.binomial import log_mass
from collude.codef.numeric.checks import Array, floats
from collude.codef.risk import exact_error
from collude.codef.risk.game import error_of_best
from collude.studies.agreement import agreement, counted
from collude.studies.study import Cell, Claim, Figure, Line, Row, Study, of_table, play
from collude.studies.words import listed, verdict


@dataclass(frozen=True)
class Parameters:
    """The grid.

    Attributes:
        persons: n.
        epsilon: of every answer.
        counts: answers that are shuffled together.
        reports: of the amplification theorem.
        delta: of the amplification theorem.
        trials: games a point, with `check`.
    """

    persons: int
    epsilon: float
    counts: tuple[int, ...]
    reports: tuple[int, ...]
    delta: float
    trials: int


def cells(parameters: Parameters, check: bool) -> list[Cell]:  # noqa: FBT001 -- Study's shape
    """Return a cell for each count, one for the theorem, and one for each simulated point."""
    setting: dict[str, Any] = {"persons": parameters.persons, "epsilon": parameters.epsilon}
    found = [
        Cell(f"shuffled/{count}", shuffled, {**setting, "count": count})
        for count in parameters.counts
    ]
    found.append(Cell("amplification", amplified, {
        "epsilon": parameters.epsilon, "reports": parameters.reports, "delta": parameters.delta,
    }))  # fmt: skip
    setting["trials"] = parameters.trials
    played = [
        play(f"simulated/{count}", simulated, {**setting, "count": count})
        for count in parameters.counts
    ]
    return found + (played if check else [])


def shuffled(_: np.random.Generator, persons: int, epsilon: float, count: int) -> list[Row]:
    """Return what k answers leak and how often they name the target, shuffled and plain."""
    row: Row = {
        "table": "shuffled",
        "persons": persons,
        "epsilon": epsilon,
        "count": count,
        "information": float(shuffled_information(epsilon, count)),
        "plain_information": count * rr_information(epsilon),
        "limit": float(rr_bhattacharyya(epsilon)),
        "success": shuffled_success(persons, epsilon, count),
        "plain_success": 1 - float(exact_error(persons, epsilon, count)),
    }
    return [row]


def shuffled_success(persons: int, epsilon: float, count: int) -> float:
    """Return how often the attacker names the target from the number of noisy ones alone.

    For each number seen, persons' own numbers of ones are put in the order of their likelihood;
    then it is the game of `collude.codef.risk.game`.
    """
    ones = law(count, 0.5)
    seen = noisy(epsilon, count)
    missed = 0.0
    for likelihood in seen.T:
        order = np.argsort(-likelihood, kind="stable")
        target = floats((ones * likelihood)[order])
        missed += error_of_best(persons, target, floats(ones[order]))
    return 1 - missed


def noisy(epsilon: float, count: int) -> Array:
    """Return P(so many noisy ones | so many ones), (count + 1, count + 1)."""
    q = 1 / (1 + math.exp(epsilon))
    return floats([
        np.convolve(law(ones, 1 - q), law(count - ones, q)) for ones in range(count + 1)
    ])


def law(count: int, probability: float) -> Array:
    """Return the binomial masses, (count + 1,)."""
    if count == 0:
        return np.ones(1)
    counts = floats(np.arange(count + 1))
    return floats(np.exp(log_mass(counts, count, probability, 1 - probability)))


def amplified(
    _: np.random.Generator, epsilon: float, reports: Sequence[int], delta: float
) -> list[Row]:
    """Return the epsilon after shuffling m REPORTS, None where the theorem says nothing.

    ln(1 + (e^e0 - 1)/(e^e0 + 1) (8 sqrt(e^e0 ln(4/delta)/m) + 8 e^e0/m)) for
    e0 <= ln(m/(16 ln(2/delta))).

    Source: Feldman, McMillan and Talwar, FOCS 2021, Theorem 3.1.
    """
    rows: list[Row] = []
    for m in reports:
        grown = math.exp(epsilon)
        inner = 8 * math.sqrt(grown * math.log(4 / delta) / m) + 8 * grown / m
        applies = epsilon <= math.log(m / (16 * math.log(2 / delta)))
        central = math.log1p(math.tanh(epsilon / 2) * inner)
        rows.append({
            "table": "amplification",
            "epsilon": epsilon,
            "delta": delta,
            "reports": m,
            "central_epsilon": central if applies else None,
        })
    return rows


def simulated(
    rng: np.random.Generator, persons: int, epsilon: float, count: int, trials: int
) -> list[Row]:
    """Return how often the target is named when only the noisy number of ones is seen.

    A person's ones are drawn as a binomial number; the attacker takes the likeliest person.
    """
    q = 1 / (1 + math.exp(epsilon))
    likelihood = noisy(epsilon, count)
    won = 0
    for _ in range(trials):
        ones = rng.binomial(count, 0.5, size=persons)
        seen = rng.binomial(ones[0], 1 - q) + rng.binomial(count - ones[0], q)
        fit = likelihood[ones, seen]
        best = np.flatnonzero(fit == fit.max())
        won += int(best[rng.integers(len(best))] == 0)
    expected = shuffled_success(persons, epsilon, count)
    return [counted("success", won, trials, expected, persons=persons, count=count)]


def conclude(parameters: Parameters, rows: Sequence[Row]) -> list[Claim]:
    """Return the claims of guideline G3."""
    points = of_table(rows, "shuffled")
    return [
        _factor(parameters, points),
        _same(parameters),
        _saturates(points),
        _reports(of_table(rows, "amplification")),
        *agreement(rows),
    ]


def _factor(parameters: Parameters, points: list[dict[str, Any]]) -> Claim:
    said = "; ".join(
        f"k={row['count']}: {row['success']:.4f} (plain {row['plain_success']:.3f})"
        for row in points
    )
    halves = [row for row in points if row["success"] > 0.5]  # noqa: PLR2004 -- half of the attacks
    return Claim(
        "shuffling divides epsilon by Theta(sqrt(n/k)), so the threshold moves up",
        "a larger k*, by the factor sqrt(n/k)",
        f"success at n={parameters.persons}, epsilon {parameters.epsilon:g}: {said}",
        "holds for a larger threshold"
        if halves
        else "FALSE: the factor has no source; there is no threshold left, but it needs a trusted "
        "shuffler",
    )


def _same(parameters: Parameters) -> Claim:
    factor = 4.0
    grown = rr_information(parameters.epsilon) / rr_information(parameters.epsilon / factor)
    return Claim(
        "dividing epsilon by s makes k* grow by the same factor s",
        "the same factor",
        f"s = {factor:g}: k* grows by {grown:.1f} (s^2 = {factor**2:g})",
        verdict(holds=abs(grown - factor) < 1),
    )


def _saturates(points: list[dict[str, Any]]) -> Claim:
    last = points[-1]
    near = [row for row in points if row["count"] >= 20]  # noqa: PLR2004 -- where it has settled
    settled = all(abs(row["information"] - row["limit"]) < 0.001 for row in near)  # noqa: PLR2004
    counts = " / ".join(f"{row['count']}" for row in points)
    return Claim(
        "information grows with every answer, shuffled or not",
        "k* is finite",
        f"nats at k = {counts}: {listed([row['information'] for row in points], 4)}; limit "
        f"ln cosh(epsilon/2) = {last['limit']:.4f}; plain {last['plain_information']:.1f} at "
        f"k={last['count']}",
        "FALSE: it saturates" if settled else "holds",
    )


def _reports(rows: list[dict[str, Any]]) -> Claim:
    said = "; ".join(
        f"m={row['reports']}: "
        + (f"{row['central_epsilon']:.4f}" if row["central_epsilon"] else "not applicable")
        for row in rows
    )
    return Claim(
        "the cited amplification applies to k answers about n persons",
        "[11], [4]: sqrt(n/k)",
        f"it counts the reports m that are shuffled, not n persons over k; epsilon "
        f"{rows[0]['epsilon']:g}, delta {rows[0]['delta']:.0e}: {said}",
        verdict(holds=all(row["central_epsilon"] for row in rows)),
    )


def figure(rows: Sequence[Row]) -> Figure:
    """Return how much is leaked, shuffled and plain."""
    points = of_table(rows, "shuffled")
    x = [row["count"] for row in points]
    lines = [
        Line("shuffled", x, [row["information"] for row in points]),
        Line("plain: k I_1", x, [row["plain_information"] for row in points], "dashed"),
        Line("limit: ln cosh(epsilon/2)", x, [row["limit"] for row in points]),
    ]
    return Figure("What the answers leak", "answers", "nats", lines, logarithmic=True)


STUDY = Study(
    "shuffle",
    "Guideline G3: what a trusted shuffler is worth when answers are about one person",
    Parameters,
    cells,
    conclude,
    figure,
)
