"""One point of the identification game with yes/no answers: exact, bounds, and simulated."""

import math

import numpy as np

from collude.codef.leakage import rr_information
from collude.codef.risk import (
    critical_silos,
    exact_error,
    fano_error,
    gallager_error,
    success_bound,
    union_bound_error,
)
from collude.studies.agreement import counted
from collude.studies.game.bits import identified
from collude.studies.study import Row


def scale(persons: float, epsilon: float) -> float:
    """Return k*."""
    return critical_silos(persons, rr_information(epsilon))


def count_at(persons: float, epsilon: float, share: float) -> int:
    """Return the whole number of answers nearest to share k*, 1 or more."""
    return max(1, round(share * scale(persons, epsilon)))


def point(persons: float, epsilon: float, count: int) -> Row:
    """Return all that is known about the attacker's error after `count` answers."""
    nats = count * rr_information(epsilon)
    return {
        "persons": persons,
        "epsilon": epsilon,
        "count": count,
        "share": count / scale(persons, epsilon),
        "exact_error": float(exact_error(persons, epsilon, count)),
        "fano_error": float(fano_error(persons, nats)),
        "least_error": 1 - float(success_bound(persons, [(epsilon, count)])),
        "union_bound_error": float(union_bound_error(persons, epsilon, count)),
        "gallager_error": float(gallager_error(persons, epsilon, count)),
    }


def simulated(
    rng: np.random.Generator, persons: int, epsilon: float, counts: list[int], trials: int
) -> list[Row]:
    """Return the simulated error beside the exact one for each number of answers."""
    return [
        counted(
            "error",
            trials - identified(persons, [(epsilon, count)], trials, rng),
            trials,
            exact_error(persons, epsilon, count),
            persons=persons,
            epsilon=epsilon,
            count=count,
        )
        for count in counts
    ]


def outside(rows: list[Row]) -> tuple[int, int]:
    """Return how many points lie below Fano's bound, and how many above the union bound."""
    below = sum(_number(row, "exact_error") < _number(row, "fano_error") for row in rows)
    above = sum(_number(row, "exact_error") > _number(row, "union_bound_error") for row in rows)
    return below, above


def margin(rows: list[Row]) -> float:
    """Return how close the exact error comes to Fano's bound where that says anything."""
    gaps = [
        _number(row, "exact_error") - _number(row, "fano_error")
        for row in rows
        if _number(row, "fano_error") > 0
    ]
    return min(gaps, default=math.nan)


def _number(row: Row, name: str) -> float:
    value = row[name]
    return float(value) if isinstance(value, int | float) else math.nan
