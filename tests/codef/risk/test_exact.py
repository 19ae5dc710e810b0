"""The exact error: against every codebook, target and answer, and against the design's tables."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.leakage import rr_information
from collude.codef.risk import (
    critical_silos,
    exact_error,
    exact_error_mixed,
    silos_at_error,
    success_bound,
)
from collude.codef.risk.game import lost_by_lot
from collude.common.errors import ParameterInvalid

mpmath.mp.dps = 60


def enumerated(n: int, epsilons: list[float]) -> float:
    """The success of the best attacker, averaged over all attributes: no formula."""
    k = len(epsilons)
    p = np.array([1 / (1 + math.exp(-epsilon)) for epsilon in epsilons])
    answers = np.array(list(itertools.product((0, 1), repeat=k)))
    agree = np.array([
        [np.where(x == y, p, 1 - p).prod() for y in answers] for x in answers
    ])  # P(answers | attributes)
    success = 0.0
    for book in itertools.product(range(2**k), repeat=n):
        success += agree[list(book)].max(axis=0).sum() / n
    return success / 2 ** (k * n)


def by_definition(n: int, epsilon: float, k: int) -> float:
    """sum_d P(D = d) (G_d^n - F_d^n)/(n f_d), 60 digits."""
    p = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon)))
    f = [mpmath.binomial(k, d) / mpmath.mpf(2) ** k for d in range(k + 1)]
    success = mpmath.mpf(0)
    for d in range(k + 1):
        at_least, more = sum(f[d:]), sum(f[d + 1 :])
        target = mpmath.binomial(k, d) * (1 - p) ** d * p ** (k - d)
        success += target * (at_least**n - more**n) / (n * f[d])
    return float(1 - success)


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 2), (4, 3), (3, 4)])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_it_is_the_enumeration_of_everything(n: int, k: int, epsilon: float) -> None:
    assert exact_error(n, epsilon, k) == pytest.approx(1 - enumerated(n, [epsilon] * k), abs=1e-13)


@pytest.mark.parametrize("epsilons", [[1.0, 0.5], [2.0, 0.5, 0.5], [1.0, 0.7, 1 / 3]])
def test_mixed_epsilons_too(epsilons: list[float]) -> None:
    schedule = [(epsilon, 1) for epsilon in epsilons]
    assert exact_error_mixed(3, schedule) == pytest.approx(1 - enumerated(3, epsilons), abs=1e-12)


@pytest.mark.parametrize(
    ("n", "epsilon", "k"), [(2, 1.0, 30), (500, 1.0, 200), (500, 6.0, 40), (2000, 0.1, 50)]
)
def test_it_keeps_its_digits_where_errors_are_rare(n: int, epsilon: float, k: int) -> None:
    assert exact_error(n, epsilon, k) == pytest.approx(by_definition(n, epsilon, k), rel=1e-9)


def test_no_answers_or_pure_noise_leave_a_guess() -> None:
    for n in (2, 500, 1e64):
        assert exact_error(n, 1.0, 0) == exact_error(n, 0.0, 40) == 1 - 1 / n
        assert exact_error_mixed(n, []) == exact_error_mixed(n, [(0.0, 5)]) == 1 - 1 / n
        assert exact_error(n, 1e-6, 1) == pytest.approx(1 - 1 / n, abs=1e-5)


@given(st.integers(2, 10**6), st.floats(0.01, 8), st.integers(1, 300))
def test_a_further_answer_never_hurts_the_attacker(n: int, epsilon: float, k: int) -> None:
    assert exact_error(n, epsilon, k + 1) <= exact_error(n, epsilon, k) * (1 + 1e-9)
    assert exact_error(n + 1, epsilon, k) >= exact_error(n, epsilon, k) * (1 - 1e-9)


@given(st.integers(2, 2000), st.floats(0.05, 5), st.integers(1, 80))
def test_a_mixture_of_one_epsilon_is_that_epsilon(n: int, epsilon: float, k: int) -> None:
    split = [(epsilon, k), (epsilon * (1 + 1e-13), k)]
    assert exact_error_mixed(n, split) == pytest.approx(exact_error(n, epsilon, 2 * k), rel=1e-6)


SHARES = [0.6, 0.8, 1.0, 1.25, 1.5, 1.9]
TABLE = {
    1e2: [0.559, 0.423, 0.299, 0.196, 0.125, 0.055],
    1e8: [0.852, 0.613, 0.355, 0.132, 0.038, 0.003],
    1e32: [0.996, 0.867, 0.403, 0.040, 0.001, 0.0],
    1e64: [1.000, 0.958, 0.423, 0.010, 0.000, 0.0],
}


@pytest.mark.parametrize("n", TABLE)
def test_the_table_of_the_sharp_constant(n: float) -> None:
    at = critical_silos(n, rr_information(1.0))
    assert [round(exact_error(n, 1.0, round(c * at)), 3) for c in SHARES] == TABLE[n]


def test_the_rarest_entry_of_that_table() -> None:
    at = critical_silos(1e64, rr_information(1.0))
    assert f"{exact_error(1e64, 1.0, round(1.5 * at)):.0e}" == "1e-05"


CROSSINGS = {
    (100, 0.5): 0.678, (100, 1): 0.682, (100, 2): 0.704,
    (500, 0.5): 0.740, (500, 1): 0.743, (500, 2): 0.759,
    (2000, 0.5): 0.775, (2000, 1): 0.777, (2000, 2): 0.790,
    (50, 1): 0.644, (500, 3): 0.788, (1e15, 1): 0.930,
}  # fmt: skip


@pytest.mark.parametrize(("n", "epsilon"), CROSSINGS)
def test_half_of_the_attacks_fail_well_before_the_papers_point(n: float, epsilon: float) -> None:
    at = silos_at_error(n, epsilon, 0.5) / critical_silos(n, rr_information(float(epsilon)))
    assert round(at, 3) == CROSSINGS[n, epsilon]


def test_what_the_attacker_achieves_around_k_star() -> None:
    at = critical_silos(500, rr_information(1.0))
    found = [round(exact_error(500, 1.0, round(c * at)), 2) for c in (0.25, 1, 2)]
    assert found == [0.90, 0.32, 0.03]
    for n in (50, 100, 200, 500, 1000, 2000):
        at = critical_silos(n, rr_information(1.0))
        assert 0.29 < exact_error(n, 1.0, round(at)) < 0.34
    for n, epsilon in itertools.product((100, 500, 2000), (0.5, 1.0, 2.0)):
        at = critical_silos(n, rr_information(epsilon))
        assert 0.05 < exact_error(n, epsilon, round(1.5 * at)) < 0.135


@pytest.mark.parametrize("k", [10**6, 10**9, 10**12, 10**15])
def test_many_weak_answers_are_stable(k: int) -> None:
    epsilon = math.sqrt(8 * math.log(500) / k)
    assert exact_error(500, epsilon, k) == pytest.approx(0.32144, abs=5e-4)


def test_a_schedule_without_a_common_unit_is_rounded_but_close() -> None:
    exact = exact_error_mixed(500, [(1.0, 20), (0.333, 60)])  # in units of 0.001
    for third in (0.3329999, 0.33300001, 0.333 + 1e-9):
        near = exact_error_mixed(500, [(1.0, 20), (third, 60)])
        assert near == pytest.approx(exact, abs=1e-4), third


def test_the_lot_from_series_to_certainty() -> None:
    share = np.array([1e-9, 0.9e-3 / 500, 1.1e-3 / 500, 0.01, 1.0])
    exact = [
        float(1 - (1 - (1 - mpmath.mpf(r)) ** 500) / (500 * mpmath.mpf(r))) for r in share.tolist()
    ]
    assert lost_by_lot(500, share) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize(
    "bad",
    [
        (1, 1.0, 5), (math.nan, 1.0, 5), (math.inf, 1.0, 5), (500, -1.0, 5), (500, math.nan, 5),
        (500, math.inf, 5), (500, 1.0, -1), (500, 1.0, 2.5), (500, 1.0, math.nan), (500, 1.0, 1e17),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused(bad) -> None:
    n, epsilon, k = bad
    for call in (exact_error, lambda *a: success_bound(a[0], [(a[1], a[2])])):
        with pytest.raises(ParameterInvalid):
            call(n, epsilon, k)
