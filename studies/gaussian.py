"""Section 9.5: Gaussian answers, and how many more of them it really takes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from collude.codef.leakage import gaussian_information, gaussian_sigma, rr_information
from collude.codef.numeric.normal import upper_tail
from collude.codef.risk import (
    critical_silos,
    exact_error_gaussian,
    silos_at_error,
    success_bound_gaussian,
)
from collude.studies.agreement import agreement, counted
from collude.studies.game.real import identified_gaussian
from collude.studies.study import Cell, Claim, Figure, Line, Row, Study, of_table, play
from collude.studies.words import listed, verdict

PAPERS_CONSTANT, PAPERS_RATIO = 23.7, 24
PAPERS_DELTA = 1e-5
HALVINGS = 60


@dataclass(frozen=True)
class Parameters:
    """The setting.

    Attributes:
        persons: n.
        epsilon: of an answer.
        deltas: of an answer.
        shares: k/k* of the curve, at the first delta.
        strong: sensitivity/sigma of simulated points, 0.5 or more so that k stays small.
        trials: games a point, with `check`.
    """

    persons: int
    epsilon: float
    deltas: tuple[float, ...]
    shares: tuple[float, ...]
    strong: float
    trials: int


def cells(parameters: Parameters, check: bool) -> list[Cell]:  # noqa: FBT001 -- Study's shape
    """Return a cell for each delta, one for the curve, and one for each simulated point."""
    setting = {"persons": parameters.persons, "epsilon": parameters.epsilon}
    found = [Cell(f"delta/{d:g}", calibrated, {**setting, "delta": d}) for d in parameters.deltas]
    strong: dict[str, Any] = {"persons": parameters.persons, "ratio": parameters.strong}
    found.append(Cell("curve", curve, {**strong, "shares": parameters.shares}))
    strong["trials"] = parameters.trials
    played = [
        play(f"simulated/{share:g}", simulated, {**strong, "share": share})
        for share in parameters.shares
    ]
    return found + (played if check else [])


def calibrated(_: np.random.Generator, persons: int, epsilon: float, delta: float) -> list[Row]:
    """Return what the paper's calibration gives, and where it stops being private."""
    sigma = gaussian_sigma(epsilon, delta)
    nats, plain = gaussian_information(1.0, sigma), rr_information(epsilon)
    row: Row = {
        "table": "calibration",
        "persons": persons,
        "epsilon": epsilon,
        "delta": delta,
        "sigma": sigma,
        "c_delta": 2 * math.log(1.25 / delta),
        "information": nats,
        "approximation": 1 / (8 * sigma**2),
        "critical_silos": critical_silos(persons, nats),
        "critical_silos_rr": critical_silos(persons, plain),
        "ratio": plain / nats,
        "ratio_at_equal_zcdp": plain / gaussian_information(1.0, 1 / epsilon),
        "proved_to_epsilon": 1.0,
        "fails_from_epsilon": fails_from(delta),
    }
    return [row]


def fails_from(delta: float) -> float:
    """Return the epsilon from which the classic calibration's true delta exceeds `delta`."""
    low, high = 1.0, 50.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if true_delta(middle, delta) > delta else (middle, high)
    return high


def true_delta(epsilon: float, delta: float) -> float:
    """Return the delta of one answer whose noise is calibrated in the classic way.

    Phi(-epsilon/m + m/2) - e^epsilon Phi(-epsilon/m - m/2), m = sensitivity/sigma.

    Source: Balle and Wang, ICML 2018, Theorem 8.
    """
    m = 1 / gaussian_sigma(epsilon, delta)
    near, far = upper_tail(np.array([epsilon / m - m / 2, epsilon / m + m / 2]))
    return float(near - math.exp(epsilon) * far)


def curve(_: np.random.Generator, persons: int, ratio: float, shares: Sequence[float]) -> list[Row]:
    """Return the attacker's error with Gaussian answers over k/k*."""
    scale = critical_silos(persons, gaussian_information(ratio, 1.0))
    counts = [max(1, round(share * scale)) for share in shares]
    return [
        {
            "table": "curve",
            "persons": persons,
            "ratio": ratio,
            "count": count,
            "share": count / scale,
            "exact_error": float(exact_error_gaussian(persons, ratio, 1.0, count)),
            "least_error": 1 - float(success_bound_gaussian(persons, ratio, 1.0, count)),
        }
        for count in counts
    ]


def simulated(
    rng: np.random.Generator, persons: int, ratio: float, share: float, trials: int
) -> list[Row]:
    """Return one simulated point; the formula is exact within some 0.005 only."""
    scale = critical_silos(persons, gaussian_information(ratio, 1.0))
    count = max(1, round(share * scale))
    lost = trials - identified_gaussian(persons, ratio, count, trials, rng)
    exact = exact_error_gaussian(persons, ratio, 1.0, count)
    return [counted("error", lost, trials, exact, persons=persons, ratio=ratio, count=count)]


def conclude(parameters: Parameters, rows: Sequence[Row]) -> list[Claim]:
    """Return the claims of section 9.5."""
    found = of_table(rows, "calibration")
    paper = min(found, key=lambda row: abs(row["delta"] - PAPERS_DELTA))
    return [
        Claim(
            f"c_delta = 2 ln(1.25/delta) at delta = {paper['delta']:.0e}",
            f"{PAPERS_CONSTANT}",
            f"{paper['c_delta']:.3f}",
            verdict(holds=abs(paper["c_delta"] - PAPERS_CONSTANT) < 0.05),  # noqa: PLR2004 -- its digits
        ),
        _ratio(paper),
        _robust(paper),
        _calibration(found),
        _transition(parameters, of_table(rows, "curve")),
        *agreement(rows),
    ]


def _ratio(row: dict[str, Any]) -> Claim:
    return Claim(
        f"k* with Gaussian answers is about {PAPERS_RATIO} times that of randomized response",
        f"{PAPERS_RATIO}",
        f"ratio {row['ratio']:.2f} at n={row['persons']}, epsilon {row['epsilon']:g}: k* "
        f"{row['critical_silos']:.1f} against {row['critical_silos_rr']:.2f}; I_1 exact "
        f"{row['information']:.7f}, approximation {row['approximation']:.7f}",
        verdict(holds=abs(row["ratio"] - PAPERS_RATIO) < 0.5),  # noqa: PLR2004 -- its digits
    )


def _robust(row: dict[str, Any]) -> Claim:
    same = row["ratio_at_equal_zcdp"]
    return Claim(
        "the Gaussian mechanism is c_delta times more robust",
        "a factor c_delta more robust",
        f"at equal zCDP, epsilon^2/2, sigma is 1/epsilon and the ratio {same:.2f}, "
        f"not {row['c_delta']:.1f}: the factor is more noise",
        verdict(holds=same > row["c_delta"] / 2),
    )


def _calibration(rows: list[dict[str, Any]]) -> Claim:
    said = "; ".join(
        f"delta {row['delta']:.0e}: c_delta {row['c_delta']:.3f}, true delta larger from epsilon "
        f"{row['fails_from_epsilon']:.2f}"
        for row in rows
    )
    return Claim(
        "the calibration is (epsilon, delta)-private for every epsilon",
        "no range given",
        f"{said}; proved up to epsilon 1",
        verdict(holds=all(math.isinf(row["fails_from_epsilon"]) for row in rows)),
    )


def _transition(parameters: Parameters, points: list[dict[str, Any]]) -> Claim:
    plain = silos_at_error(parameters.persons, 1.0, 0.5) / critical_silos(
        parameters.persons, rr_information(1.0)
    )
    x = [row["share"] for row in points][::-1]
    y = [row["exact_error"] for row in points][::-1]
    half = float(np.interp(0.5, y, x))
    shares = " / ".join(f"{row['share']:.2f}" for row in points)
    return Claim(
        "the structure of the transition does not depend on the mechanism",
        "the same phenomenon",
        f"error {listed([row['exact_error'] for row in points], 3)} at {shares} k* (sensitivity "
        f"{parameters.strong:g} sigma); crosses 0.5 near {half:.2f} k*, randomized response at "
        f"{plain:.2f}",
        verdict(holds=abs(half - plain) < 0.1, otherwise="only roughly"),  # noqa: PLR2004 -- to the eye
    )


def figure(rows: Sequence[Row]) -> Figure:
    """Return the error with Gaussian answers, and what no attacker gets below."""
    points = of_table(rows, "curve")
    x = [row["share"] for row in points]
    lines = [
        Line("universal bound: at least", x, [row["least_error"] for row in points]),
        Line("exact", x, [row["exact_error"] for row in points], "dashed"),
    ]
    played = {row["count"]: row["simulated"] for row in of_table(rows, "simulation")}
    some = [row for row in points if row["count"] in played]
    if some:
        at, seen = [row["share"] for row in some], [played[row["count"]] for row in some]
        lines.append(Line("Monte Carlo", at, seen, "points"))
    return Figure("Gaussian answers", "answers / k*", "error", lines)


STUDY = Study(
    "gaussian",
    "Section 9.5: Gaussian answers, the constant c_delta, and what it is worth",
    Parameters,
    cells,
    conclude,
    figure,
)
