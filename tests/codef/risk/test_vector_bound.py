"""The bound for vectors: met with equality where that is possible, and never passed elsewhere."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from collude.codef.numeric.normal import upper_tail
from collude.codef.risk import safe_upload_nats, success_bound_vectors
from collude.common.errors import ParameterInvalid


@pytest.mark.parametrize("nats", [-1e-9, math.nan])
def test_nats_that_are_none_are_refused(nats):
    with pytest.raises(ParameterInvalid):
        success_bound_vectors(500, nats)


@pytest.mark.parametrize("chance", [0.001, 1.1])
def test_a_prior_that_is_none_is_refused(chance):
    with pytest.raises(ParameterInvalid):
        success_bound_vectors(500, 1.0, chance)


@pytest.mark.parametrize("risk", [0.0, 1.0, 0.0019])
def test_a_risk_below_a_guess_is_refused(risk):
    with pytest.raises(ParameterInvalid):
        safe_upload_nats(500, risk)


def test_without_an_upload_there_is_the_guess():
    assert success_bound_vectors(500, 0.0) == 1 / 500
    assert success_bound_vectors(500, 0.0, 0.25) == 0.25


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_two_opposite_vectors_reach_it(mu):
    """The best test of +mu against -mu is right with probability Phi(mu)."""
    exact = 1 - float(upper_tail(np.array(mu)))
    bound = success_bound_vectors(2, mu**2 / 2)
    assert exact <= bound <= exact * (1 + 1e-11)


def best_guess_on_a_line(places, priors):
    """Success of the best estimator for scalars in unit noise, by quadrature."""
    y = np.linspace(min(places) - 12, max(places) + 12, 40_001)
    densities = np.exp(-((y - np.array(places)[:, None]) ** 2) / 2) / math.sqrt(2 * math.pi)
    return np.trapezoid((np.array(priors)[:, None] * densities).max(axis=0), y)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12), st.floats(0.01, 4), st.integers(0, 99))
def test_no_codebook_on_a_line_passes_it(places, mu, seed):
    priors = np.random.default_rng(seed).dirichlet(np.ones(len(places)))
    reached = best_guess_on_a_line([mu * place for place in places], priors)
    bound = success_bound_vectors(len(places), mu**2 / 2, float(priors.max()))
    assert reached <= bound + 1e-6


@pytest.mark.parametrize("nats", [0.5, 1.275, 4.0])
def test_orthogonal_vectors_stay_below_it_and_come_near(nats):
    """Persons as far apart as the norm allows, in as many dimensions as persons."""
    n, trials, rng = 100, 20_000, np.random.default_rng(5)
    mu = math.sqrt(2 * nats)
    right = mu + rng.standard_normal(trials)
    best_other = rng.standard_normal((trials, n - 1)).max(axis=1)
    reached = np.mean(right > best_other)
    error = 4 * math.sqrt(reached * (1 - reached) / trials)
    bound = success_bound_vectors(n, nats)
    assert reached - error <= bound <= 2 * reached + error


def test_who_names_all_at_once_passes_it_so_the_condition_counts():
    """Each person once: the best assignment of all rows to all persons uses the others' rows."""
    n, nats, rng = 30, 4.0, np.random.default_rng(1)
    scores = math.sqrt(2 * nats) * np.eye(n) + rng.standard_normal((200, n, n))
    alone = (scores.argmax(axis=2) == np.arange(n)).mean(axis=1)
    together = [(linear_sum_assignment(-each)[1] == np.arange(n)).mean() for each in scores]
    error = 4 * np.std(together) / math.sqrt(200)
    bound = success_bound_vectors(n, nats)
    assert alone.mean() < bound < np.mean(together) - error
    assert "alone" in bound.condition


@given(st.floats(2, 1e9), st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_the_safe_nats_are_safe_and_no_fewer_than_needed(n, share):
    risk = 1 / n + share * (1 - 1 / n)
    if not 1 / n <= risk < 1:
        return
    nats = safe_upload_nats(n, risk)
    assert success_bound_vectors(n, nats) <= risk
    if risk < 0.999:  # so near 1 the slack of 1e-12 is what counts
        assert success_bound_vectors(n, 1.0001 * nats + 1e-6) >= risk


def test_the_number_of_the_decision_record():
    """Independent arithmetic: (2.8782 - 1.2816)^2 / 2, from a table of the normal law."""
    assert safe_upload_nats(500, 0.1) == pytest.approx((2.8782 - 1.2816) ** 2 / 2, abs=1e-3)
    assert NormalDist().cdf(2.8782) == pytest.approx(1 - 1 / 500, abs=1e-6)
