"""The tables of the study `codef-policies`: policies are run until they withhold."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from collude.codef.budget import (
    InformationBudget,
    LeakyTheoryOfMindFilter,
    PaperRule,
    PersonState,
    Policy,
    SuccessBudget,
    TheoryOfMindFilter,
    silo_epsilons,
)
from collude.codef.leakage import rr_information
from collude.codef.risk import (
    exact_error,
    exact_error_mixed,
    fano_error,
    success_bound,
)
from collude.studies.agreement import counted
from collude.studies.curve import scale
from collude.studies.game.bits import identified
from collude.studies.study import Row

Schedule = list[tuple[float, int]]
FLOOR = 0.5
"""The entropy floor of the filters, as a share of ln n."""


def let_out(policy: Policy, most: int = 10**6) -> Schedule:
    """Return the answers that a policy allows, one by one, until it withholds."""
    spent: dict[float, int] = {}
    for _ in range(most):
        decision = policy.decide(PersonState(tuple(spent.items()), lease_slots=1))
        if decision.epsilon is None:
            break
        spent[decision.epsilon] = spent.get(decision.epsilon, 0) + 1
    return list(spent.items())


def judged(persons: float, schedule: Schedule) -> Row:
    """Return what a schedule leaks and allows."""
    nats = sum(count * rr_information(epsilon) for epsilon, count in schedule)
    return {
        "count": sum(count for _, count in schedule),
        "share_of_ln_n": nats / math.log(persons),
        "error": float(exact_error_mixed(persons, schedule)),
        "guaranteed_success": float(success_bound(persons, schedule)),
    }


def switch(_: np.random.Generator, setting: Sequence[Any]) -> list[Row]:
    """Return the paper's rule at its trigger, where it stops, and where it would at gamma = 1."""
    persons, epsilon, after, gamma = setting
    rule = PaperRule(persons, epsilon, after, gamma)
    schedule = let_out(rule)
    stages = {
        "trigger": schedule[:1],
        "stopped": schedule,
        "at k*": [schedule[0], (after, math.floor(scale(persons, after)) - schedule[0][1])],
    }
    return [
        {
            "table": "switch",
            "persons": persons,
            "epsilon": epsilon,
            "epsilon_after": after,
            "gamma": gamma,
            "stage": stage,
            **judged(persons, given),
        }
        for stage, given in stages.items()
    ]


def simulated_switch(rng: np.random.Generator, setting: Sequence[Any], trials: int) -> list[Row]:
    """Return the game that an attacker plays when the paper's rule has stopped."""
    persons, epsilon, after, gamma = setting
    schedule = let_out(PaperRule(persons, epsilon, after, gamma))
    return [
        counted(
            "success under the paper's rule",
            identified(persons, given, trials, rng),
            trials,
            1 - exact_error_mixed(persons, given),
            persons=persons,
            count=sum(count for _, count in given),
        )
        for given in (schedule[:1], schedule)
    ]


def halving(
    _: np.random.Generator, persons: int, epsilon: float, gamma: float, levels: int
) -> list[Row]:
    """Return both rules when epsilon is halved whenever they would withhold."""
    rows: list[Row] = []
    paper: Schedule = []
    given = 0
    for level in range(levels):
        lowered = epsilon / 2**level
        limit = math.floor(gamma * scale(persons, lowered))
        paper, given = [*paper, (lowered, limit - given)], limit
        grid = [epsilon / 2**below for below in range(level + 1)]
        summed = let_out(InformationBudget(persons, gamma, grid))
        for rule, schedule in (("paper", paper), ("information", summed)):
            found = judged(persons, schedule)
            rows.append({"table": "halving", "rule": rule, "level": level, **found})
    return rows


def gamma(
    _: np.random.Generator, persons: float, epsilon: float, gammas: Sequence[float]
) -> list[Row]:
    """Return the risk at each fraction of k*."""
    return [
        {
            "table": "gamma",
            "persons": persons,
            "gamma": share,
            "count": (count := math.floor(share * scale(persons, epsilon))),
            "success": 1 - float(exact_error(persons, epsilon, count)),
            "guaranteed_success": float(success_bound(persons, [(epsilon, count)])),
            "fano_success": 1 - float(fano_error(persons, count * rr_information(epsilon))),
        }
        for share in gammas
    ]


def safe(_: np.random.Generator, risks: Sequence[tuple[float, float, float]]) -> list[Row]:
    """Return the largest safe counts by the exact game, the universal bound and Fano."""
    return [
        {
            "table": "safe",
            "persons": persons,
            "epsilon": epsilon,
            "max_success": risk,
            "exact": _last(risk, partial(_exact_success, persons, epsilon)),
            "guaranteed": SuccessBudget(persons, epsilon, risk).slots,
            "fano": _last(risk, partial(_fano_success, persons, epsilon)),
        }
        for persons, epsilon, risk in risks
    ]


def _exact_success(persons: float, epsilon: float, count: int) -> float:
    return 1 - exact_error(persons, epsilon, count)


def _fano_success(persons: float, epsilon: float, count: int) -> float:
    return 1 - fano_error(persons, count * rr_information(epsilon))


def _last(risk: float, success: Callable[[int], float]) -> int:
    count = 0
    while success(count + 1) <= risk:
        count += 1
    return count


def overshoot(
    _: np.random.Generator, persons: int, epsilon: float, gamma: float, intervals: Sequence[int]
) -> list[Row]:
    """Return what is out when silos answer once each between two counts, one short of the last."""
    trigger = math.floor(gamma * scale(persons, epsilon))
    return [
        {
            "table": "overshoot",
            "trigger": trigger,
            "silos": silos,
            "count": trigger - 1 + silos,
            "success": 1 - float(exact_error(persons, epsilon, trigger - 1 + silos)),
        }
        for silos in intervals
    ]


def hidden(
    _: np.random.Generator, persons: int, epsilon: float, gamma: float, fractions: Sequence[float]
) -> list[Row]:
    """Return what is out at the trigger when a fraction of the silos reports nothing."""
    trigger = math.floor(gamma * scale(persons, epsilon))
    return [
        {
            "table": "hidden",
            "trigger": trigger,
            "fraction": fraction,
            "count": (count := math.floor(trigger / (1 - fraction) + 1e-9)),
            "success": 1 - float(exact_error(persons, epsilon, count)),
        }
        for fraction in fractions
    ]


def alone(_: np.random.Generator, persons: int, silos: int, gamma: float) -> list[Row]:
    """Return the epsilon with which so many silos need no coordination, and its risk."""
    names = {f"silo-{index}": 1.0 for index in range(silos)}
    epsilon = next(iter(silo_epsilons(persons, gamma, names).values()))
    row: Row = {
        "table": "alone",
        "persons": persons,
        "silos": silos,
        "gamma": gamma,
        "epsilon": epsilon,
        **judged(persons, [(epsilon, silos)]),
    }
    return [row]


def _with_filter(rng: np.random.Generator, persons: int, epsilon: float, rounds: int) -> Any:
    """Play the filter that decides without the answer."""
    guard = TheoryOfMindFilter.uniform(persons, (epsilon,), FLOOR * math.log(persons))
    given = 0
    for bits, answer in _answers(rng, persons, epsilon, rounds):
        if guard.decide(bits).epsilon is not None:
            guard, given = guard.observe(bits, epsilon, answer), given + 1
    return guard.entropy, guard.belief, given


def _with_leak(rng: np.random.Generator, persons: int, epsilon: float, rounds: int) -> Any:
    """Play the filter that looks at the drawn answer, against one who reads its refusals."""
    guard = LeakyTheoryOfMindFilter.uniform(persons, (epsilon,), FLOOR * math.log(persons))
    reader, given = guard, 0
    for bits, answer in _answers(rng, persons, epsilon, rounds):
        if guard.decide(bits, epsilon, answer).epsilon is not None:
            reader, given = reader.observe(bits, epsilon, answer), given + 1
        elif guard.decide(bits, epsilon, 1 - answer).epsilon is not None:
            reader = reader.observe(bits, epsilon, answer)  # it can only have been this one
        guard = guard.observe(bits, epsilon, answer)
    return reader.entropy, reader.belief, given


def _answers(rng: np.random.Generator, persons: int, epsilon: float, rounds: int) -> Any:
    """Yield each round's attributes and the answer about person 0."""
    for _ in range(rounds):
        bits = rng.integers(0, 2, persons)
        yield bits, int(bits[0]) ^ int(rng.random() < 1 / (1 + math.exp(epsilon)))


FILTERS = {"simulatable": _with_filter, "naive": _with_leak}


def filtered(
    rng: np.random.Generator, kind: str, persons: int, epsilon: float, rounds: int, games: int
) -> list[Row]:
    """Return where an attacker ends, on average, when a filter stands in between."""
    ends = [FILTERS[kind](rng, persons, epsilon, rounds) for _ in range(games)]
    row: Row = {
        "table": "filter",
        "kind": kind,
        "persons": persons,
        "games": games,
        "floor": FLOOR * math.log(persons),
        "mean_entropy": float(np.mean([entropy for entropy, _, _ in ends])),
        "lowest_entropy": float(min(entropy for entropy, _, _ in ends)),
        "success": float(np.mean([_named(belief) for _, belief, _ in ends])),
        "answers": float(np.mean([given for _, _, given in ends])),
        "unfiltered_success": 1 - float(exact_error(persons, epsilon, rounds)),
    }
    return [row]


def _named(belief: Any) -> float:
    """Return the chance that person 0 is named, ties by lot."""
    best = belief >= belief.max() * (1 - 1e-9)
    return float(best[0] / best.sum())
