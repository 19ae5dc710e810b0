"""Whether a simulation agrees with a formula: z-scores of counts, and what many of them may be."""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from collude.studies.study import Claim, Row, of_table
from collude.studies.words import verdict

SIMULATION = "simulation"
"""The table of simulated counts, whichever study they belong to."""
CEILING = "ceiling"
"""The table of simulated successes that a bound must cover: only too high a score is wrong."""
FALSE_ALARMS = 1e-3
"""How often all scores of a study together would be refused although the formula is right."""
LARGEST = 8.0
_NORMAL = NormalDist()


def counted(of: str, hits: int, trials: int, expected: float, **where: float | str) -> Row:
    """Return a row that compares a simulated frequency with its exact probability.

    Args:
        of: what was counted.
        hits: how often it happened.
        trials: independent trials.
        expected: its probability by the formula.
        where: at which parameters.
    """
    return {
        "table": SIMULATION,
        "of": of,
        **where,
        "trials": trials,
        "simulated": hits / trials,
        "exact": float(expected),
        "z": z_of_count(hits, trials, expected),
    }


def z_of_count(hits: int, trials: int, probability: float) -> float:
    """Return the normal score of a binomial count, its own mass counted half.

    Exact also for rare events, where the count is far from normal.
    """
    if not 0 < probability < 1:
        return 0.0 if hits == trials * probability else math.copysign(LARGEST, hits - trials / 2)
    counts = np.arange(trials + 1)
    log_mass = (
        math.lgamma(trials + 1)
        - _log_factorials(trials)
        - _log_factorials(trials)[::-1]
        + counts * math.log(probability)
        + (trials - counts) * math.log1p(-probability)
    )
    mass = np.exp(log_mass)
    below = float(mass[:hits].sum()) + float(mass[hits]) / 2
    above = float(mass[hits + 1 :].sum()) + float(mass[hits]) / 2
    tail = min(max(min(below, above), 1e-15), 0.5)
    return _NORMAL.inv_cdf(tail) if below <= above else -_NORMAL.inv_cdf(tail)


def _log_factorials(last: int) -> Any:
    logs = np.concatenate([[0.0], np.log(np.arange(1, last + 1))])
    return np.cumsum(logs)


def allowed(scores: int) -> float:
    """Return the largest absolute score that so many may have."""
    return -_NORMAL.inv_cdf(FALSE_ALARMS / (2 * max(scores, 1)))


def disagreements(rows: Sequence[Row]) -> list[Row]:
    """Return the simulated rows that do not agree with their formula."""
    simulated, capped = of_table(rows, SIMULATION), of_table(rows, CEILING)
    limit = allowed(len(simulated) + len(capped))
    wrong = [row for row in simulated if abs(row["z"]) > limit]
    return wrong + [row for row in capped if row["z"] > limit]


def agreement(rows: Sequence[Row]) -> list[Claim]:
    """Return the claim that the formulas are right; none without Monte Carlo."""
    scores = [row["z"] for row in of_table(rows, SIMULATION)]
    if not scores:
        return []
    rms = math.sqrt(sum(z * z for z in scores) / len(scores))
    worst = max(map(abs, scores))
    return [
        Claim(
            "Monte Carlo of the game as written agrees with the exact formula",
            "(the paper has Monte Carlo alone)",
            f"{len(scores)} points: rms z-score {rms:.2f}, max {worst:.1f} "
            f"(at most {allowed(len(scores)):.1f})",
            verdict(holds=not disagreements(rows)),
        )
    ]
