"""Experiment 3: two silos that leak nothing each and something together (XOR and noise)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from collude.codef.leakage import xor_information
from collude.studies.agreement import agreement, counted
from collude.studies.study import Cell, Claim, Figure, Line, Row, Study, of_table, play
from collude.studies.words import listed, verdict

PAPERS_RATIO = {0.2: 0.987, 0.5: 0.986, 1.0: 0.920}
DIGITS = 0.001
"""The paper prints three."""
WITHIN, WITHIN_TO = 0.015, 0.5
FREE = 3
"""Degrees of freedom of the table Z by (Y_1, Y_2): the bias of a plug-in estimate."""
EXCELLENT = 0.05
"""Relative error of an estimate in excellent agreement: all that a figure shows."""


@dataclass(frozen=True)
class Parameters:
    """The grid.

    Attributes:
        epsilons: of both answers.
        samples: of the paper's Monte Carlo.
    """

    epsilons: tuple[float, ...]
    samples: int


def cells(parameters: Parameters, check: bool) -> list[Cell]:  # noqa: FBT001 -- Study's shape
    """Return a cell for the curve and one for each estimate."""
    grid = {"epsilons": parameters.epsilons, "samples": parameters.samples}
    played = [
        play(
            f"simulated/{epsilon:g}", estimate, {"epsilon": epsilon, "samples": parameters.samples}
        )
        for epsilon in parameters.epsilons
    ]
    return [Cell("curve", curve, grid), *(played if check else [])]


def curve(_: np.random.Generator, epsilons: Sequence[float], samples: int) -> list[Row]:
    """Return the exact information, its leading order, and what a plug-in estimate is worth."""
    return [
        {
            "table": "curve",
            "epsilon": epsilon,
            "bits": (bits := xor_information(epsilon, "bits")),
            "leading_order_bits": (leading := epsilon**4 / (32 * math.log(2))),
            "ratio": bits / leading,
            "plug_in_bias_bits": FREE / (2 * samples * math.log(2)),
            "plug_in_deviation_bits": deviation(epsilon, samples),
        }
        for epsilon in epsilons
    ]


def deviation(epsilon: float, samples: int) -> float:
    """Return the standard deviation of a plug-in estimate of I(Z; Y_1, Y_2), in bits.

    The part that is linear in the counts, Var ln(P(z|y)/P(z)), and for little information the
    chi-square law's, 2 FREE/(2 samples)^2.
    """
    wrong = 2 * math.exp(epsilon) / (1 + math.exp(epsilon)) ** 2
    linear = wrong * (1 - wrong) * math.log(wrong / (1 - wrong)) ** 2 / samples
    return math.sqrt(linear + 2 * FREE / (2 * samples) ** 2) / math.log(2)


def estimate(rng: np.random.Generator, epsilon: float, samples: int) -> list[Row]:
    """Return what so many samples of (Z, Y_1, Y_2) say.

    All the information is in how often Y_1 xor Y_2 is not Z, a binomial count that can be checked
    exactly; the plug-in estimate is what the paper would print.
    """
    z, u = rng.integers(0, 2, size=(2, samples), dtype=np.int8)
    noise = rng.random((2, samples)) < 1 / (1 + math.exp(epsilon))
    y1, y2 = u ^ noise[0], z ^ u ^ noise[1]
    wrong = 2 * math.exp(epsilon) / (1 + math.exp(epsilon)) ** 2
    row = counted(
        "xor wrong",
        int(np.count_nonzero((y1 ^ y2) != z)),
        samples,
        wrong,
        epsilon=epsilon,
        estimated_bits=plug_in(np.bincount(4 * z + 2 * y1 + y2, minlength=8).reshape(2, 4)),
        bits=xor_information(epsilon, "bits"),
    )
    return [row]


def plug_in(table: Any) -> float:
    """Return the mutual information of a table of counts, in bits."""
    joint = table / table.sum()
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = joint > 0
    return float((joint[there] * np.log2(joint[there] / independent[there])).sum())


def conclude(parameters: Parameters, rows: Sequence[Row]) -> list[Claim]:
    """Return the claims of section 9.3."""
    points = of_table(rows, "curve")
    ratio = {row["epsilon"]: row["ratio"] for row in points}
    claims = [
        Claim(
            f"exact over leading order at epsilon = {epsilon:g}",
            f"{said:.3f}",
            f"{ratio[epsilon]:.5f}",
            verdict(holds=abs(ratio[epsilon] - said) < DIGITS),
        )
        for epsilon, said in PAPERS_RATIO.items()
        if epsilon in ratio
    ]
    return [
        *claims,
        _within(points),
        _excellent(points, rows, parameters.samples),
        *agreement(rows),
    ]


def _within(points: list[dict[str, Any]]) -> Claim:
    some = [row for row in points if row["epsilon"] <= WITHIN_TO]
    worst = max(abs(row["ratio"] - 1) for row in some)
    return Claim(
        f"the leading order is within 1.5 % for epsilon up to {WITHIN_TO:g}",
        "1.5 %",
        f"off by {worst:.1%} at epsilon {some[-1]['epsilon']:g}; ratio "
        f"{listed([row['ratio'] for row in points], 3)} at epsilon "
        + " / ".join(f"{row['epsilon']:g}" for row in points),
        verdict(holds=worst <= WITHIN),
    )


def _excellent(points: list[dict[str, Any]], rows: Sequence[Row], samples: int) -> Claim:
    estimated = {row["epsilon"]: row["estimated_bits"] for row in of_table(rows, "simulation")}
    bad = [row for row in points if _blur(row) > EXCELLENT]
    said = [
        f"epsilon {row['epsilon']:g}: {row['bits']:.1e} bits, plug-in noise "
        f"{row['plug_in_bias_bits']:.0e} (bias) and {row['plug_in_deviation_bits']:.0e} (deviation)"
        + (f", estimate {estimated[row['epsilon']]:.1e}" if row["epsilon"] in estimated else "")
        for row in bad
    ]
    where = " / ".join(f"{row['epsilon']:g}" for row in bad)
    return Claim(
        f"Monte Carlo of {samples:.0e} samples agrees excellently for epsilon in [0.1, 3]",
        "excellent agreement",
        "; ".join(said) or "the noise is below 5 % of the value everywhere",
        verdict(holds=not bad, otherwise=f"not at epsilon {where}: FALSE there"),
    )


def _blur(row: dict[str, Any]) -> float:
    noise = math.hypot(row["plug_in_bias_bits"], row["plug_in_deviation_bits"])
    return float(noise / row["bits"])


def figure(rows: Sequence[Row]) -> Figure:
    """Return the exact information and its leading order."""
    points = of_table(rows, "curve")
    x = [row["epsilon"] for row in points]
    lines = [
        Line("exact", x, [row["bits"] for row in points]),
        Line("epsilon^4/(32 ln 2)", x, [row["leading_order_bits"] for row in points], "dashed"),
        Line("bias of the plug-in estimate", x, [row["plug_in_bias_bits"] for row in points]),
    ]
    played = of_table(rows, "simulation")
    if played:
        at = [row["epsilon"] for row in played]
        lines.append(Line("estimated", at, [row["estimated_bits"] for row in played], "points"))
    return Figure("Information of the XOR pair", "epsilon", "bits", lines, logarithmic=True)


STUDY = Study(
    "synergy",
    "Experiment 3: two silos that leak nothing each, and something together",
    Parameters,
    cells,
    conclude,
    figure,
)
