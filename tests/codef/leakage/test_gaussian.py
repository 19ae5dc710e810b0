"""Gaussian answers: the information by another integral, the noise by the privacy it gives."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from collude.codef.leakage import (
    gaussian_cutoff_rate,
    gaussian_information,
    gaussian_sigma,
    gaussian_vector_information,
    rr_information,
)
from collude.codef.leakage.calibration import gaussian_delta
from collude.codef.risk import critical_silos
from collude.common.errors import ParameterInvalid


def by_entropies(mu: float) -> float:
    """h(Y) - h(Y|X): the entropy of the mixture less the entropy of the noise."""

    def density(y: float) -> float:
        each = [math.exp(-((y - s * mu) ** 2) / 2) / math.sqrt(2 * math.pi) for s in (-1, 1)]
        return sum(each) / 2

    def integrand(y: float) -> float:
        return -density(y) * math.log(density(y))

    mixture = 2 * quad(integrand, 0, mu + 12, limit=200, points=[mu])[0]
    return mixture - 0.5 * math.log(2 * math.pi * math.e)


@pytest.mark.parametrize("mu", [0.3, 0.9, 1.1, 2.0, 5.0])
def test_the_information_is_a_difference_of_entropies(mu: float) -> None:
    assert gaussian_information(2 * mu, 1.0) == pytest.approx(by_entropies(mu), rel=1e-8)


@given(st.floats(1e-6, 30))
def test_the_information_and_its_bounds(mu: float) -> None:
    found = gaussian_information(2 * mu, 1.0)
    assert found <= min(mu * mu / 2, math.log1p(mu * mu) / 2, math.log(2)) * (1 + 1e-12)
    assert found >= gaussian_cutoff_rate(2 * mu, 1.0) * (1 - 1e-12)
    assert found >= mu * mu / 2 * (1 - mu * mu)


def test_the_papers_instance() -> None:
    sigma = gaussian_sigma(1.0, 1e-5)
    found = gaussian_information(1.0, sigma)
    assert f"{found:.7f}" == "0.0052973"
    assert f"{1 / (8 * sigma**2):.7f}" == "0.0053255"
    assert round(critical_silos(500, found), 1) == 1173.2
    assert round(rr_information(1.0) / found, 2) == 20.94
    assert round(sigma**2, 4) == 23.4721
    assert round(gaussian_sigma(1.0, 1e-6) ** 2, 3) == 28.077


def test_limits() -> None:
    assert gaussian_information(0.0, 1.0) == gaussian_information(1.0, math.inf) == 0
    assert gaussian_information(0.0, 0.0) == 0
    assert gaussian_information(1.0, 0.0) == pytest.approx(math.log(2))
    assert gaussian_cutoff_rate(1.0, 0.0) == pytest.approx(math.log(2))
    assert gaussian_cutoff_rate(0.0, 0.0) == 0
    assert gaussian_information(np.array([1.0, 2.0]), np.array([[1.0], [2.0]])).shape == (2, 2)


@pytest.mark.parametrize("bad", [(-1.0, 1.0), (1.0, -1.0), (math.nan, 1.0), (1.0, math.nan)])
def test_bad_noise_is_refused(bad) -> None:
    with pytest.raises(ParameterInvalid):
        gaussian_information(*bad)


@given(st.floats(1e-3, 30), st.floats(1e-12, 0.5))
def test_the_analytic_noise_is_private_and_no_larger_than_needed(epsilon, delta) -> None:
    sigma = gaussian_sigma(epsilon, delta, calibration="analytic")
    assert gaussian_delta(epsilon, 1 / sigma) <= delta * (1 + 1e-6)
    assert gaussian_delta(epsilon, 1.001 / sigma) > delta


@pytest.mark.parametrize(("delta", "fails_at"), [(1e-5, 8.42), (1e-6, 8.78)])
def test_the_classic_noise_breaks_its_promise_at_large_epsilon(delta, fails_at) -> None:
    for epsilon, holds in ((fails_at - 0.01, True), (fails_at + 0.01, False)):
        ratio = 1 / gaussian_sigma(epsilon, delta)
        assert (gaussian_delta(epsilon, ratio) <= delta) == holds


def test_the_noise_is_in_the_unit_of_the_sensitivity() -> None:
    for how in ("classic", "analytic"):
        one = gaussian_sigma(0.7, 1e-5, calibration=how)
        assert gaussian_sigma(0.7, 1e-5, 3.0, how) == pytest.approx(3 * one)


@pytest.mark.parametrize(
    "bad",
    [(0, 1e-5), (math.nan, 1e-5), (1, 0), (1, 1), (1, 1e-5, 0), (1, 1e-5, 1, "guess")],
)
def test_a_bad_calibration_is_refused(bad) -> None:
    with pytest.raises(ParameterInvalid):
        gaussian_sigma(*bad)


def test_vectors_leak_at_most_their_power() -> None:
    assert gaussian_vector_information(3.0, 2.0) == pytest.approx(9 / 8)
    assert gaussian_vector_information(3.0, 2.0, rows=4) == pytest.approx(9 / 2)
    one = gaussian_vector_information(1.0, 1.0, dimension=1)
    assert one == pytest.approx(math.log(2) / 2)
    assert gaussian_information(2.0, 1.0) < one  # a bit at +-1 has power 1
    tight = gaussian_vector_information(3.0, 2.0, dimension=5, rows=4)
    assert tight < gaussian_vector_information(3.0, 2.0, rows=4)
    assert gaussian_vector_information(3.0, 2.0, 10**12) == pytest.approx(9 / 8)


@pytest.mark.parametrize("bad", [(-1, 1), (1, 0), (1, 1, 0), (1, 1, 5, 0)])
def test_bad_vectors_are_refused(bad) -> None:
    with pytest.raises(ParameterInvalid):
        gaussian_vector_information(*bad)
