"""Fano, union and Gallager: against enumeration, direct minimisation, and the design's numbers."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.leakage import rr_cutoff_rate, rr_information
from collude.codef.risk import (
    critical_silos,
    exact_error,
    fano_error,
    fano_error_tight,
    fano_list_error,
    gallager_error,
    union_bound_error,
)
from collude.common.errors import ParameterInvalid

I1 = rr_information(1.0)


def test_critical_silos() -> None:
    assert [round(critical_silos(n, I1), 2) for n in (100, 500, 2000)] == [41.51, 56.02, 68.51]
    assert critical_silos(500, 0.0) == math.inf
    assert 41.51 * 1.9 < critical_silos(100, rr_cutoff_rate(1.0)) < 2 * 41.51


def test_fano_at_the_designs_points() -> None:
    assert [round(1 - fano_error(500, k * I1), 3) for k in (14, 28, 42)] == [0.361, 0.611, 0.861]
    assert round(1 - fano_error(500, 0.5 * math.log(500)), 2) == 0.61
    assert round(1 - fano_error(1e6, 0.5 * math.log(1e6)), 2) == 0.55


def average_information(n: int, k: int, epsilon: float) -> float:
    """I(Z; Y^k | X) over all attributes, from the joint table of target and answers."""
    p = 1 / (1 + math.exp(-epsilon))
    total = 0.0
    answers = list(itertools.product((0, 1), repeat=k))
    for book in itertools.product(answers, repeat=n):
        joint = np.array([
            [
                np.prod([p if a == b else 1 - p for a, b in zip(x, y, strict=True)]) / n
                for y in answers
            ]
            for x in book
        ])
        total += (joint * np.log(n * joint / joint.sum(axis=0))).sum()
    return total / 2 ** (n * k)


def test_the_information_of_the_game_is_below_the_charge() -> None:
    found = average_information(3, 2, 1.0)
    assert round(found, 5) == 0.14322
    assert found <= 2 * I1
    assert round(2 * I1, 5) == 0.22189


@given(st.integers(3, 10**6), st.floats(0, 20))
def test_the_inverted_form_is_never_weaker(n: int, information: float) -> None:
    tight = fano_error_tight(n, information)
    assert tight >= fano_error(n, information) - 1e-9
    if 0 < tight < 1 - 1 / n - 1e-6:
        left = -tight * math.log(tight) - (1 - tight) * math.log1p(-tight)
        assert left + tight * math.log(n - 1) == pytest.approx(math.log(n) - information, abs=1e-6)


def test_two_persons_need_the_inverted_form() -> None:
    for k in (0, 1, 3, 10):
        assert fano_error(2, k * I1) <= exact_error(2, 1.0, k)
    assert fano_error(2, 0.0) == pytest.approx(0.5, abs=1e-6)
    assert fano_error(2, 1.0) == 0
    # one answer about bits known to differ: the channel itself, where the bound is met
    q = 1 / (1 + math.e)
    assert fano_error(2, I1) == pytest.approx(q, rel=1e-9)


@pytest.mark.parametrize(("k", "map_error", "papers"), [(1, 0.500, 0.753), (8, 0.500, 0.580)])
def test_a_prior_changes_the_numerator_only(k: int, map_error: float, papers: float) -> None:
    """n = 2000, one person with mass 1/2: the paper's H(Z) in the denominator breaks the bound."""
    n = 2000
    entropy = 0.5 * math.log(2) + 0.5 * math.log(2 * (n - 1))
    assert fano_error(n, k * I1, entropy) <= map_error
    assert round(1 - (k * I1 + 1) / entropy, 3) == papers
    assert papers > map_error


def test_the_error_of_that_prior_exactly() -> None:
    """MAP by enumeration of the scores: the favourite against the best of 1,999 others."""
    n, q = 2000, 1 / (1 + math.e)

    def binomial(k: int, p: float) -> np.ndarray:
        return np.array([math.comb(k, d) * p**d * (1 - p) ** (k - d) for d in range(k + 1)])

    def error(k: int) -> float:
        bonus = math.log(n - 1)  # of the favourite, in units of epsilon = 1
        fair, target = binomial(k, 0.5), binomial(k, q)
        above = np.array([fair[d:].sum() for d in range(k + 2)])  # P(Bin >= d)
        # favourite is the target: right if no other person's distance is below d - bonus
        lead = [above[max(0, min(k + 1, math.ceil(d - bonus)))] ** (n - 1) for d in range(k + 1)]
        right = 0.5 * (target @ lead)
        # somebody else is: better than the favourite's d - bonus, and best of the others
        for d in range(k + 1):
            beats = above[min(k + 1, math.floor(d + bonus) + 1)]
            tie = (above[d] ** (n - 1) - above[d + 1] ** (n - 1)) / ((n - 1) * fair[d])
            right += 0.5 * target[d] * beats * tie
        return 1 - right

    # A simulation of some thousand games gave .495, .367 and .167 for the last three.
    assert [round(error(k), 3) for k in (1, 8, 40, 70)] == [0.500, 0.500, 0.365, 0.164]
    entropy = 0.5 * math.log(2) + 0.5 * math.log(2 * (n - 1))
    assert round(entropy / I1, 1) == 40.5


def test_the_list_form() -> None:
    assert fano_list_error(500, 14 * I1, 1) == pytest.approx(fano_error(500, 14 * I1))
    assert fano_list_error(500, 14 * I1, 10) < fano_error(500, 14 * I1)
    assert fano_list_error(500, 0.0, 300) == 0
    for bad in (0, 500, math.nan):
        with pytest.raises(ParameterInvalid, match="length"):
            fano_list_error(500, 1.0, bad)


def test_the_bounds_around_k_star() -> None:
    at = critical_silos(500, I1)
    points = [round(c * at) for c in (2, 2.5, 3)]
    assert [round(union_bound_error(500, 1.0, k), 3) for k in points] == [0.732, 0.143, 0.028]
    assert [round(gallager_error(500, 1.0, k), 3) for k in points] == [0.305, 0.097, 0.025]
    assert [f"{exact_error(500, 1.0, k):.2g}" for k in points] == ["0.029", "0.0071", "0.0016"]
    first = next(k for k in itertools.count() if union_bound_error(500, 1.0, k) < 1)
    assert round((first - 1) / at, 2) == 1.89
    assert round(critical_silos(499, rr_cutoff_rate(1.0)) / at, 3) == 1.904
    first = next(k for k in itertools.count() if gallager_error(500, 1.0, k) < 1)
    assert round(first / at, 4) == 0.9997


@given(st.integers(3, 10**8), st.floats(1e-3, 30), st.integers(1, 2000))
def test_gallagers_minimum_is_the_minimum(n: int, epsilon: float, k: int) -> None:
    rho = np.linspace(0, 1, 401)
    p, q = 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
    power = 1 / (1 + rho)
    e0 = rho * math.log(2) - (1 + rho) * np.log(p**power + q**power)
    tried = np.exp(np.minimum(0, rho * math.log(n - 1) - k * e0)).min()
    found = gallager_error(n, epsilon, k)
    assert found <= tried * (1 + 1e-9)
    assert found >= tried * 0.97 - 1e-300
    assert (
        exact_error(n, epsilon, k)
        <= found * (1 + 1e-9)
        <= union_bound_error(n, epsilon, k) * (1 + 2e-9)
    )


def test_the_ends() -> None:
    assert union_bound_error(500, 1.0, 0) == gallager_error(500, 1.0, 0) == 1
    assert union_bound_error(500, 0.0, 9) == gallager_error(500, 0.0, 9) == 1
    assert gallager_error(2, 1.0, 5) == union_bound_error(2, 1.0, 5)
    assert gallager_error(1e64, 1e-6, 10**6) == 1


@pytest.mark.parametrize("call", [union_bound_error, gallager_error])
@pytest.mark.parametrize("bad", [(1, 1.0, 5), (500, -1.0, 5), (500, 1.0, 0.5)])
def test_bad_arguments_are_refused(call, bad) -> None:
    with pytest.raises(ParameterInvalid):
        call(*bad)


@pytest.mark.parametrize("bad", [(1, 1.0), (500, -1.0), (500, 1.0, -1.0), (500, 1.0, 7.0)])
def test_a_bad_fano_is_refused(bad) -> None:
    with pytest.raises(ParameterInvalid):
        fano_error(*bad)
