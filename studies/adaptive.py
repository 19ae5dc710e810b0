"""An attacker who chooses the next silo by the answers so far: what helps, and what still holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from collude.codef.risk import exact_error, success_bound
from collude.studies.agreement import CEILING, agreement, counted, z_of_count
from collude.studies.game.best import best_success
from collude.studies.game.bits import identified
from collude.studies.game.greedy import greedy_identified
from collude.studies.study import Cell, Claim, Figure, Line, Row, Study, of_table, play
from collude.studies.words import verdict


@dataclass(frozen=True)
class Parameters:
    """The games.

    Attributes:
        persons: n of the large game.
        epsilon: of its answers.
        pool: silos to choose from.
        counts: answers after which the attacker names somebody, ascending.
        small: (n, epsilon, answers) of games in which everything is tried.
        mixed_persons: n of the game whose epsilons may depend on answers.
        mixed_grid: its epsilons.
        mixed_success: the bound that every history of it must keep.
        trials: games, with `check`.
    """

    persons: int
    epsilon: float
    pool: int
    counts: tuple[int, ...]
    small: tuple[tuple[int, float, int], ...]
    mixed_persons: int
    mixed_grid: tuple[float, ...]
    mixed_success: float
    trials: int


def cells(parameters: Parameters, check: bool) -> list[Cell]:  # noqa: FBT001 -- Study's shape
    """Return the exact games and, with `check`, the large one."""
    setting = {"persons": parameters.persons, "epsilon": parameters.epsilon}
    counts = list(parameters.counts)
    found = [
        Cell("formula", formula, {**setting, "counts": counts}),
        *(
            Cell(f"small/{index}", small, {"persons": n, "epsilon": e, "count": k})
            for index, (n, e, k) in enumerate(parameters.small)
        ),
        Cell("mixed", mixed, {
            "persons": parameters.mixed_persons, "grid": parameters.mixed_grid,
            "max_success": parameters.mixed_success,
        }),
    ]  # fmt: skip
    if check:
        found += _played(parameters, {**setting, "counts": counts})
    return found


def _played(parameters: Parameters, setting: dict[str, Any]) -> list[Cell]:
    setting["trials"] = parameters.trials
    return [
        play("greedy", greedy_games, {**setting, "pool": parameters.pool}),
        play("plain", plain_games, setting),
    ]


def formula(
    _: np.random.Generator, persons: int, epsilon: float, counts: Sequence[int]
) -> list[Row]:
    """Return the exact success with silos chosen beforehand, and the bound for every attacker."""
    return [{"table": "formula", **known} for known in _known(persons, epsilon, counts)]


def _known(persons: int, epsilon: float, counts: Sequence[int]) -> list[dict[str, Any]]:
    return [
        {
            "persons": persons,
            "epsilon": epsilon,
            "count": count,
            "success": 1 - float(exact_error(persons, epsilon, count)),
            "guaranteed_success": float(success_bound(persons, [(epsilon, count)])),
        }
        for count in counts
    ]


def small(_: np.random.Generator, persons: int, epsilon: float, count: int) -> list[Row]:
    """Return the best adaptive attacker of a small game at one epsilon, exactly."""
    row: Row = {
        "table": "small",
        "persons": persons,
        "epsilon": epsilon,
        "count": count,
        "success": 1 - float(exact_error(persons, epsilon, count)),
        "best": best_success(persons, (epsilon,), lambda used: used[0] <= count),
        "guaranteed_success": float(success_bound(persons, [(epsilon, count)])),
    }
    return [row]


def mixed(
    _: np.random.Generator, persons: int, grid: Sequence[float], max_success: float
) -> list[Row]:
    """Return the best attacker who may choose epsilons while every history keeps the bound."""
    bounds: dict[tuple[int, ...], float] = {}

    def allowed(used: tuple[int, ...]) -> bool:
        if used not in bounds:
            schedule = list(zip(grid, used, strict=True))
            bounds[used] = float(success_bound(persons, schedule))
        return bounds[used] <= max_success

    best = best_success(persons, grid, allowed)
    row: Row = {
        "table": "mixed",
        "persons": persons,
        "max_success": max_success,
        "best": best,
        "largest_bound": max(bound for bound in bounds.values() if bound <= max_success),
    }
    return [row]


def greedy_games(
    rng: np.random.Generator,
    persons: int,
    epsilon: float,
    pool: int,
    counts: Sequence[int],
    trials: int,
) -> list[Row]:
    """Return how often a greedy attacker names the target."""
    won = greedy_identified(persons, epsilon, pool, counts, trials, rng)
    return [
        {
            **known,
            "table": CEILING,
            "pool": pool,
            "trials": trials,
            "simulated": hits / trials,
            "z": z_of_count(hits, trials, known["guaranteed_success"]),
            "z_formula": z_of_count(hits, trials, known["success"]),
        }
        for known, hits in zip(_known(persons, epsilon, counts), won, strict=True)
    ]


def plain_games(
    rng: np.random.Generator, persons: int, epsilon: float, counts: Sequence[int], trials: int
) -> list[Row]:
    """Return the same game with silos chosen beforehand, against its formula."""
    return [
        counted(
            "success without choice",
            identified(persons, [(epsilon, count)], trials, rng),
            trials,
            1 - exact_error(persons, epsilon, count),
            persons=persons,
            count=count,
        )
        for count in counts
    ]


def conclude(_: Parameters, rows: Sequence[Row]) -> list[Claim]:
    """Return what the paper leaves to future work, answered."""
    ceilings = of_table(rows, CEILING)
    return [
        _formula(of_table(rows, "formula"), of_table(rows, "small"), ceilings),
        _bound(of_table(rows, "small"), ceilings),
        _mixed(of_table(rows, "mixed")),
        *agreement(rows),
    ]


def _formula(
    known: list[dict[str, Any]], games: list[dict[str, Any]], played: list[dict[str, Any]]
) -> Claim:
    said = [
        f"n={row['persons']}, {row['count']} answers: formula {row['success']:.3f}, bound "
        f"{row['guaranteed_success']:.4f}"
        for row in known
    ]
    said += [
        f"greedy {row['simulated']:.3f} of {row['trials']} games at {row['count']} answers, "
        f"{row['z_formula']:.1f} deviations above the formula"
        for row in played
    ]
    said += [
        f"n={row['persons']}, {row['count']} answers, epsilon {row['epsilon']:g}, everything "
        f"tried: best {row['best']:.4f}, formula {row['success']:.4f}"
        for row in games
    ]
    beaten = any(row["best"] > row["success"] + 1e-9 for row in games)
    return Claim(
        "the exact formula bounds every attacker",
        "adaptive adversaries are left to future work",
        "; ".join(said),
        "FALSE: choosing silos by the answers helps" if beaten else "holds",
    )


def _bound(games: list[dict[str, Any]], played: list[dict[str, Any]]) -> Claim:
    kept = all(row["best"] <= row["guaranteed_success"] + 1e-9 for row in games)
    said = [f"best {row['best']:.4f} <= {row['guaranteed_success']:.4f}" for row in games] + [
        f"greedy {row['simulated']:.3f} against {row['guaranteed_success']:.4f} (z {row['z']:.1f})"
        for row in played
    ]
    return Claim(
        "the universal bound holds for adaptive attackers at one epsilon",
        "(not in the paper)",
        "; ".join(said),
        verdict(holds=kept and all(row["z"] < 4 for row in played)),  # noqa: PLR2004 -- beyond chance
    )


def _mixed(rows: list[dict[str, Any]]) -> Claim:
    (row,) = rows
    return Claim(
        "the bound holds if it is kept after every history, whatever chose the epsilons",
        "(not in the paper)",
        f"n={row['persons']}, s={row['max_success']:g}: the best attacker succeeds with "
        f"{row['best']:.4f}, every reachable history has a bound of at most "
        f"{row['largest_bound']:.3f}",
        verdict(
            holds=row["best"] <= row["max_success"],
            otherwise="FALSE: fix every epsilon before the first answer",
        ),
    )


def figure(rows: Sequence[Row]) -> Figure:
    """Return formula, bound and greedy attacker over the number of answers."""
    known = of_table(rows, "formula")
    x = [row["count"] for row in known]
    lines = [
        Line("GUARANTEED: at most", x, [row["guaranteed_success"] for row in known]),
        Line("silos chosen beforehand", x, [row["success"] for row in known], "dashed"),
    ]
    played = of_table(rows, CEILING)
    if played:
        at, seen = [row["count"] for row in played], [row["simulated"] for row in played]
        lines.append(Line("greedy attacker", at, seen, "points"))
    return Figure("Choosing silos as the answers come", "answers", "success", lines)


STUDY = Study(
    "adaptive",
    "An attacker who chooses the next silo by the answers so far: what it gains, what still holds",
    Parameters,
    cells,
    conclude,
    figure,
)
