"""The universal bound: never below any attacker, tight, and false where its condition is."""

import itertools
import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.leakage import rr_information
from collude.codef.numeric import scores
from collude.codef.risk import (
    Guarantee,
    exact_error,
    exact_error_mixed,
    fano_error,
    largest_safe_count,
    success_bound,
)
from collude.common.errors import ParameterInvalid


def patterns(n: float, epsilons: list[float]) -> float:
    """The mass of the 2^k/n likeliest noise patterns, one by one."""
    masses = np.ones(1)
    for epsilon in epsilons:
        q = 1 / (1 + math.exp(epsilon))
        masses = np.concatenate([masses * q, masses * (1 - q)])
    masses = np.sort(masses)[::-1]
    whole, part = divmod(len(masses) / n, 1)
    rest = masses[int(whole)] * part if whole < len(masses) else 0
    return float(masses[: int(whole)].sum() + rest)


def best_attacker(n: int, grid: tuple[float, ...], allowed: Callable) -> float:
    """The success of the best adaptive attacker, who knows all attributes: exact, by recursion.

    Before every answer the attacker chooses a silo (which persons have a 1 there) and, where
    `allowed(counts after it)` permits, the epsilon. A state is every person's score relative to
    the best one's, in units of 0.5, and how often each epsilon was used.
    """

    @cache
    def worth(state: tuple[int, ...], used: tuple[int, ...]) -> float:
        best = 1.0  # name the person with the best score
        for index, epsilon in enumerate(grid):
            after = (*used[:index], used[index] + 1, *used[index + 1 :])
            if not allowed(after):
                continue
            p, step = 1 / (1 + math.exp(-epsilon)), round(2 * epsilon)
            for others in itertools.product((0, 1), repeat=n - 1):
                total = 0.0
                for answer in (0, 1):
                    score = [
                        s + step * (x != answer) for s, x in zip(state, (0, *others), strict=True)
                    ]
                    low = min(score)
                    relative = tuple(sorted(s - low for s in score))
                    total += p * math.exp(-low / 2) * worth(relative, after)
                best = max(best, total)
        return best

    return worth((0,) * n, (0,) * len(grid)) / n


@pytest.mark.parametrize("n", [2, 3, 7.5, 500])
@pytest.mark.parametrize(
    "epsilons",
    [
        [1.0],
        [1.0] * 9,
        [0.2] * 12,
        [1.0] * 4 + [0.5] * 5,
        [2.0, 1.0, 0.25, 0.25],
        [0.7, 1 / 3, 1.0],
    ],
)
def test_it_is_the_mass_of_the_likeliest_patterns(n: float, epsilons: list[float]) -> None:
    schedule = [(epsilon, 1) for epsilon in epsilons]
    assert success_bound(n, schedule) == pytest.approx(patterns(n, epsilons), rel=1e-10)


@pytest.mark.parametrize(("k", "bound", "exact"), [
    (14, 0.1065, 0.0965), (28, 0.3461, 0.2921), (42, 0.5681, 0.5055),
])  # fmt: skip
def test_the_designs_numbers(k: int, bound: float, exact: float) -> None:
    assert round(success_bound(500, [(1.0, k)]), 4) == bound
    assert round(1 - exact_error(500, 1.0, k), 4) == exact


def test_the_adaptive_attackers_of_the_design_stay_below() -> None:
    assert round(success_bound(200, [(1.0, 25)]), 4) == 0.3975
    assert round(success_bound(200, [(1.0, 40)]), 4) == 0.6577
    assert [round(1 - exact_error(200, 1.0, k), 3) for k in (25, 40)] == [0.349, 0.590]


@given(st.integers(2, 10**6), st.floats(0.01, 8), st.integers(0, 200))
def test_it_exceeds_the_attack_and_undercuts_fano(n: int, epsilon: float, k: int) -> None:
    bound = success_bound(n, [(epsilon, k)])
    assert bound >= 1 - exact_error(n, epsilon, k) - 1e-12
    assert bound >= success_bound(n, [(epsilon, max(k - 1, 0))]) - 1e-12
    assert fano_error(n, k * rr_information(epsilon)) <= 1 - bound + 1e-9


@pytest.mark.parametrize(
    ("n", "k", "epsilon"), [(2, 5, 1.0), (3, 4, 1.0), (4, 4, 0.5), (4, 3, 2.0)]
)
def test_no_adaptive_attacker_exceeds_it_at_one_epsilon(n: int, k: int, epsilon: float) -> None:
    best = best_attacker(n, (epsilon,), lambda used: used[0] <= k)
    assert 1 - exact_error(n, epsilon, k) <= best + 1e-12
    assert best <= success_bound(n, [(epsilon, k)]) + 1e-12


def test_no_adaptive_attacker_exceeds_it_on_a_schedule_fixed_beforehand() -> None:
    def in_order(used: tuple[int, ...]) -> bool:  # two at 2, then three at .5
        return used[0] <= 2 and used[1] <= 3 and (used[1] == 0 or used[0] == 2)

    best = best_attacker(4, (2.0, 0.5), in_order)
    assert best <= success_bound(4, [(2.0, 2), (0.5, 3)]) + 1e-12


def test_it_is_false_if_an_epsilon_may_depend_on_the_answers() -> None:
    """The reason for one epsilon: a budget kept after EVERY history is still overspent."""
    grid, budget = (0.5, 1.0, 2.0), 0.556
    reachable: dict[tuple[int, ...], float] = {}

    def allowed(used: tuple[int, ...]) -> bool:
        if used not in reachable:
            schedule = [(epsilon, count) for epsilon, count in zip(grid, used, strict=True)]
            reachable[used] = float(success_bound(4, schedule))
        return reachable[used] <= budget

    best = best_attacker(4, grid, allowed)
    kept = max(bound for bound in reachable.values() if bound <= budget)
    assert round(best, 4) == 0.5925
    assert kept <= 0.554
    assert best > budget > kept


def test_the_guarantee_carries_its_condition() -> None:
    bound = success_bound(500, [(1.0, 5)])
    assert isinstance(bound, Guarantee)
    assert "fixed before the first answer" in repr(bound)
    assert "fixed before the first answer" in success_bound.__doc__


@pytest.mark.parametrize("schedule", [[(1 / 3, 30), (0.7, 20)], [(0.1234567, 40), (1.0, 20)]])
def test_a_coarse_grid_only_raises_it(schedule, monkeypatch) -> None:
    exact = success_bound(500, schedule)
    assert exact >= 1 - exact_error_mixed(500, schedule)
    monkeypatch.setattr(scores, "MOST_PAIRS", 0)
    monkeypatch.setattr(scores, "LONGEST", 2000)
    coarse = success_bound(500, schedule)
    assert exact <= coarse <= exact * 1.02


def test_a_prior_replaces_the_guess() -> None:
    assert success_bound(500, [(1.0, 20)], 1 / 500) == success_bound(500, [(1.0, 20)])
    assert success_bound(500, [(1.0, 20)], 0.01) == pytest.approx(success_bound(100, [(1.0, 20)]))
    assert success_bound(500, [], 0.25) == 0.25
    assert success_bound(500, [(1.0, 3)], 1.0) == 1
    for bad in (0.001, 1.1, math.nan):
        with pytest.raises(ParameterInvalid, match="max_prior"):
            success_bound(500, [(1.0, 3)], bad)


SAFE = [
    (500, 1.0, 0.05, 8), (500, 1.0, 0.1, 12), (1e5, 1.0, 0.1, 43), (2000, 0.5, 0.1, 68),
    (500, 50.0, 0.1, 5),
]  # fmt: skip


@pytest.mark.parametrize(("n", "epsilon", "risk", "count"), SAFE)
def test_the_largest_safe_count(n: float, epsilon: float, risk: float, count: int) -> None:
    assert largest_safe_count(n, epsilon, risk) == count
    assert success_bound(n, [(epsilon, count)]) <= risk < success_bound(n, [(epsilon, count + 1)])


def exact_safe_count(n: float, epsilon: float, risk: float) -> int:
    return next(k for k in itertools.count() if 1 - exact_error(n, epsilon, k + 1) > risk)


def fano_safe_count(n: float, epsilon: float, risk: float) -> int:
    nats = rr_information(epsilon)
    return next(k for k in itertools.count() if fano_error(n, (k + 1) * nats) < 1 - risk)


@pytest.mark.parametrize(("n", "epsilon", "risk", "exact", "fano"), [
    (500, 1.0, 0.05, 9, 0), (500, 1.0, 0.1, 14, 0), (1e5, 1.0, 0.1, 44, 4), (2000, 0.5, 0.1, 73, 2),
])  # fmt: skip
def test_what_the_exact_formula_and_fano_would_call_safe(n, epsilon, risk, exact, fano) -> None:
    assert exact_safe_count(n, epsilon, risk) == exact
    assert fano_safe_count(n, epsilon, risk) == fano


@pytest.mark.parametrize(("n", "epsilon"), [(500, 1e-3), (500, 1e-6), (1e64, 1e-6), (1e64, 50.0)])
def test_extreme_epsilons_and_populations(n: float, epsilon: float) -> None:
    count = largest_safe_count(n, epsilon, 0.1)
    assert success_bound(n, [(epsilon, count)]) <= 0.1
    assert success_bound(n, [(epsilon, math.ceil(1.001 * count + 1))]) > 0.1


def test_no_answer_may_be_safe() -> None:
    assert largest_safe_count(500, 50.0, 1 / 500) == 0


@pytest.mark.parametrize(
    "bad", [(500, 1.0, 0.001), (500, 1.0, 1.0), (500, 1.0, 0), (500, 0, 0.1), (1, 1.0, 0.1)]
)
def test_an_impossible_risk_is_refused(bad) -> None:
    with pytest.raises(ValueError, match=r"max_success|epsilon|persons"):
        largest_safe_count(*bad)
