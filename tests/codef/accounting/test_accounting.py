"""Composition: against brute force over all answers, dp-accounting, and the design's numbers."""

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.accounting import (
    advanced_composition,
    basic_composition,
    gaussian_composition,
    group_privacy,
    rr_composition,
    rr_delta,
)
from collude.codef.leakage import gaussian_sigma, rr_divergence
from collude.common.errors import ParameterInvalid


def brute_delta(epsilon: float, k: int, total: float) -> float:
    """sup over events of P(S) - e^total Q(S): the events are sets of all 2^k answers."""
    p = 1 / (1 + math.exp(-epsilon))
    gained = 0.0
    for answers in itertools.product((0, 1), repeat=k):
        one = math.prod(p if bit else 1 - p for bit in answers)
        other = math.prod(1 - p if bit else p for bit in answers)
        gained += max(0.0, one - math.exp(total) * other)
    return gained


@pytest.mark.parametrize("k", [1, 2, 5, 10])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_rr_is_the_brute_force_over_all_answers(epsilon: float, k: int) -> None:
    for total in (0.0, 0.3 * k * epsilon, 0.9 * k * epsilon):
        delta = brute_delta(epsilon, k, total)
        assert rr_delta(epsilon, k, total) == pytest.approx(delta, rel=1e-10)
        if delta > 0 and total > 0:
            assert rr_composition(epsilon, k, delta) == pytest.approx(total, rel=1e-9)


@given(st.floats(1e-4, 5), st.integers(1, 3000), st.floats(1e-12, 0.9))
def test_rr_inverts_its_own_delta(epsilon: float, k: int, delta: float) -> None:
    total = rr_composition(epsilon, k, delta)
    assert 0 <= total <= k * epsilon
    # One unit in the last place of `total` moves delta by at most as much.
    spacing = 4 * math.ulp(max(total, 1.0))
    assert rr_delta(epsilon, k, total) <= delta * (1 + 1e-4) + spacing
    if total > 1e-9:
        assert rr_delta(epsilon, k, total * (1 - 1e-6)) >= delta * (1 - 1e-9) - spacing


def test_the_designs_rr_number() -> None:
    assert f"{rr_composition(1.0, 10, 1e-5):.5f}" == "9.99977"
    assert rr_composition(1.0, 10, 0.0) == 10
    assert rr_composition(1.0, 0, 1e-5) == rr_composition(0.0, 10, 1e-5) == 0


def test_rr_agrees_with_dp_accounting() -> None:
    for epsilon, k in ((1.0, 10), (0.5, 40)):
        q = 1 / (1 + math.exp(epsilon))
        one = pld.from_randomized_response(2 * q, 2, value_discretization_interval=1e-4)
        theirs = one.self_compose(k).get_epsilon_for_delta(1e-5)
        assert rr_composition(epsilon, k, 1e-5) == pytest.approx(theirs, abs=0.01)
        assert rr_composition(epsilon, k, 1e-5) <= theirs + 1e-9


GAUSSIAN = [
    (gaussian_sigma(1.0, 1e-5), 56, 1e-5, "7.30334", 8.6047),
    (10.0, 100, 1e-6, "4.88655", 5.7565),
    (2.0, 10, 1e-5, "7.51128", 8.8371),
]


@pytest.mark.parametrize(("sigma", "k", "delta", "exact", "zcdp"), GAUSSIAN)
def test_gaussian_composition_is_exact(sigma, k, delta, exact, zcdp) -> None:
    assert f"{gaussian_composition(1.0, sigma, k, delta):.5f}" == exact
    rho = k / (2 * sigma**2)
    assert round(rho + 2 * math.sqrt(rho * math.log(1 / delta)), 4) == zcdp
    one = pld.from_gaussian_mechanism(sigma, value_discretization_interval=1e-3)
    theirs = one.self_compose(k).get_epsilon_for_delta(delta)
    assert float(exact) == pytest.approx(theirs, abs=1e-3)


def test_renyi_accounting_is_looser() -> None:
    sigma, k, delta = GAUSSIAN[0][:3]
    rho = k / (2 * sigma**2)
    order = np.linspace(1.01, 60, 200_000)
    converted = (  # Canonne, Kamath and Steinke, 2020
        order * rho + np.log1p(-1 / order) - (math.log(delta) + np.log(order)) / (order - 1)
    )
    assert converted.min() == pytest.approx(7.8567, abs=2e-3)


def test_gaussian_answers_that_are_private_already() -> None:
    assert gaussian_composition(1.0, 1e6, 1, 1e-5) == 0
    assert gaussian_composition(1.0, 1.0, 0, 1e-5) == 0


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 0.01)), max_size=20))
def test_basic_composition_adds(guarantees) -> None:
    epsilon, delta = basic_composition(guarantees)
    assert epsilon == pytest.approx(sum(e for e, _ in guarantees))
    assert delta == pytest.approx(min(1, sum(d for _, d in guarantees)))


def test_the_papers_proof_step_is_false_and_its_statement_true() -> None:
    """(eps, delta)-DP does not bound P(loss > eps) by delta: RR_1 is (0.9, 0.0696)-DP."""
    assert round(rr_delta(1.0, 1, 0.9), 4) == 0.0696
    exceeded = 1 / (1 + math.exp(-1))  # every unflipped answer has loss 1 > 0.9
    assert round(exceeded, 3) == 0.731
    for k in (2, 6):
        epsilon, delta = basic_composition([(0.9, rr_delta(1.0, 1, 0.9))] * k)
        assert rr_delta(1.0, k, epsilon) <= delta


def test_advanced_composition_is_valid_and_its_sharper_form_too() -> None:
    for epsilon, k in ((0.1, 200), (0.01, 10_000), (1.0, 30)):
        exact = rr_composition(epsilon, k, 1e-6)
        plain, delta = advanced_composition(epsilon, 0.0, k, 1e-6)
        sharp, _ = advanced_composition(epsilon, 0.0, k, 1e-6, sharpened=True)
        assert exact <= sharp < plain
        assert delta == 1e-6
    plain, delta = advanced_composition(0.5, 1e-7, 40, 1e-6)
    spread = math.sqrt(80 * math.log(1e6)) * 0.5
    assert plain == pytest.approx(spread + 40 * 0.5 * math.expm1(0.5))
    assert delta == pytest.approx(40e-7 + 1e-6)
    sharp, _ = advanced_composition(0.5, 0.0, 40, 1e-6, sharpened=True)
    assert sharp - spread == pytest.approx(40 * rr_divergence(0.5))


def test_a_small_epsilon_is_told_by_composition_and_a_large_risk_is_not() -> None:
    assert basic_composition([(1.0, 0.0)] * 28) == (28.0, 0.0)  # where the success is .29


@pytest.mark.parametrize("records", [1, 2, 5, 40])
def test_a_group_is_a_chain_of_neighbours(records: int) -> None:
    epsilon, delta = group_privacy(0.3, 1e-6, records)
    assert epsilon == pytest.approx(0.3 * records)
    assert delta == pytest.approx(1e-6 * sum(math.exp(0.3 * j) for j in range(records)))
    assert delta <= records * math.exp((records - 1) * 0.3) * 1e-6 * (1 + 1e-12)


def test_groups_at_their_ends() -> None:
    assert group_privacy(0.0, 1e-6, 5) == (0, pytest.approx(5e-6))
    assert group_privacy(1.0, 0.0, 5) == (5, 0)
    assert group_privacy(50.0, 1e-6, 1000) == (50_000, 1)
    assert group_privacy(1.0, 0.5, 0) == (0, 0)


@pytest.mark.parametrize("call", [
    lambda: basic_composition([(-1, 0)]),
    lambda: basic_composition([(1, 1.1)]),
    lambda: advanced_composition(1, 0, 10, 0),
    lambda: advanced_composition(math.nan, 0, 10, 0.1),
    lambda: advanced_composition(1, 0, 1.5, 0.1),
    lambda: group_privacy(1, -0.1, 2),
    lambda: group_privacy(1, 0.1, -2),
    lambda: rr_composition(-1, 10, 1e-5),
    lambda: rr_composition(1, 10, 1),
    lambda: rr_delta(1, 10, -1),
    lambda: gaussian_composition(0, 1, 10, 1e-5),
    lambda: gaussian_composition(1, 1, 10, 0),
])  # fmt: skip
def test_bad_arguments_are_refused(call) -> None:
    with pytest.raises(ParameterInvalid):
        call()
