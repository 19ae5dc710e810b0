"""Randomized response: every measure against 60 digits, from epsilon 1e-6 to 50."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.leakage import (
    rr_bhattacharyya,
    rr_cutoff_rate,
    rr_dispersion,
    rr_divergence,
    rr_epsilon_for_information,
    rr_information,
    rr_presence_epsilon,
    rr_repeated_information,
)
from collude.common.errors import ParameterInvalid

mpmath.mp.dps = 60
EPSILONS = [1e-6, 1e-4, 0.01, 0.02, 0.2, 0.5, 1.0, 1.999, 2.001, 3.0, 10.0, 50.0]


def probabilities(epsilon: float):
    q = 1 / (1 + mpmath.exp(mpmath.mpf(epsilon)))
    return 1 - q, q


def entropy(p):
    return -p * mpmath.log(p) - (1 - p) * mpmath.log(1 - p)


def information(epsilon: float):
    return mpmath.log(2) - entropy(probabilities(epsilon)[1])


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_every_measure_by_its_definition(epsilon: float) -> None:
    p, q = probabilities(epsilon)
    log_ratio = mpmath.log(p / q)
    exact = {
        rr_information: information(epsilon),
        rr_bhattacharyya: -mpmath.log(2 * mpmath.sqrt(p * q)),
        rr_divergence: (p - q) * log_ratio,
        rr_cutoff_rate: -mpmath.log((1 + 2 * mpmath.sqrt(p * q)) / 2),
        rr_dispersion: p * log_ratio**2 * q,
    }
    for measure, value in exact.items():
        assert measure(epsilon) == pytest.approx(float(value), rel=2e-14), measure.__name__


def test_the_dispersion_is_the_variance_of_an_answers_information() -> None:
    p, q = 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))
    values = np.log([2 * p, 2 * q])
    mean = values @ [p, q]
    assert mean == pytest.approx(rr_information(1.0))
    assert (values - mean) ** 2 @ [p, q] == pytest.approx(rr_dispersion(1.0))


@given(st.floats(1e-6, 50))
def test_the_identities_between_them(epsilon: float) -> None:
    whole = 2 * (rr_information(epsilon) + rr_bhattacharyya(epsilon))
    assert rr_divergence(epsilon) == pytest.approx(whole, rel=1e-13)
    assert rr_divergence(epsilon) >= 4 * rr_information(epsilon) * (1 - 1e-14)
    assert 2 * rr_cutoff_rate(epsilon) >= rr_information(epsilon) * (1 - 1e-14)
    assert rr_cutoff_rate(epsilon) <= rr_information(epsilon)


@pytest.mark.parametrize(
    ("epsilon", "ratio"), [(0.2, 1.996), (0.5, 1.975), (1.0, 1.904), (2.0, 1.694), (3.0, 1.482)]
)
def test_the_union_bounds_scale_is_less_than_twice_as_long(epsilon: float, ratio: float) -> None:
    assert round(rr_information(epsilon) / rr_cutoff_rate(epsilon), 3) == ratio


def test_leading_orders() -> None:
    e = 1e-3
    assert rr_information(e) == pytest.approx(e**2 / 8 - e**4 / 64, rel=1e-12)
    assert rr_bhattacharyya(e) == pytest.approx(e**2 / 8 - e**4 / 192, rel=1e-12)
    assert rr_divergence(e) == pytest.approx(e**2 / 2 - e**4 / 24, rel=1e-12)
    assert rr_cutoff_rate(e) == pytest.approx(e**2 / 16, rel=1e-6)


def test_limits() -> None:
    ln2 = math.log(2)
    assert [rr_information(0.0), rr_bhattacharyya(0.0), rr_cutoff_rate(0.0)] == [0, 0, 0]
    assert [rr_information(math.inf), rr_cutoff_rate(math.inf)] == pytest.approx([ln2, ln2])
    assert [rr_divergence(math.inf), rr_bhattacharyya(math.inf)] == [math.inf, math.inf]
    assert rr_dispersion(math.inf) == 0


@pytest.mark.parametrize("bias", [1e-6, 0.1, 0.3, 0.5000001, 0.9])
@pytest.mark.parametrize("epsilon", [1e-5, 0.1, 1.0, 5.0, 50.0])
def test_bias_and_coverage(epsilon: float, bias: float) -> None:
    p, q = probabilities(epsilon)
    mixed = mpmath.mpf(bias) * p + (1 - mpmath.mpf(bias)) * q
    exact = mpmath.mpf("0.25") * (entropy(mixed) - entropy(q))
    assert rr_information(epsilon, 0.25, bias) == pytest.approx(float(exact), rel=1e-9)


def test_a_known_attribute_or_an_absent_person_leaks_nothing() -> None:
    assert rr_information(2.0, bias=0.0) == rr_information(2.0, bias=1.0) == 0
    assert rr_information(2.0, coverage=0.0) == 0
    assert rr_cutoff_rate(2.0, bias=1.0) == 0


def test_arrays_keep_their_shape_and_scalars_are_floats() -> None:
    grid = np.array([[0.1, 1.0], [2.0, 0.0]])
    for measure in (rr_information, rr_bhattacharyya, rr_divergence, rr_cutoff_rate, rr_dispersion):
        found = measure(grid)
        assert found.shape == grid.shape
        assert found[0, 1] == measure(1.0)
        assert type(measure(1)) is float


@pytest.mark.parametrize("bad", [-1.0, math.nan, [1.0, -0.1]])
def test_a_bad_epsilon_is_refused(bad) -> None:
    for measure in (rr_information, rr_bhattacharyya, rr_divergence, rr_cutoff_rate, rr_dispersion):
        with pytest.raises(ParameterInvalid, match="epsilon"):
            measure(bad)


@pytest.mark.parametrize("share", [{"coverage": 1.1}, {"coverage": -0.1}, {"bias": math.nan}])
def test_a_bad_share_is_refused(share: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(share))):
        rr_information(1.0, **share)


@given(st.floats(1e-6, 12))
def test_the_inverse_inverts(epsilon: float) -> None:
    back = rr_epsilon_for_information(rr_information(epsilon))
    assert back == pytest.approx(epsilon, rel=1e-9)


def test_the_inverse_at_its_ends() -> None:
    found = rr_epsilon_for_information(np.array([0.0, 1e-20, math.log(2)]))
    assert found.tolist() == pytest.approx([0, math.sqrt(8e-20), math.inf])
    for bad in (-1e-3, 0.7, math.nan):
        with pytest.raises(ParameterInvalid, match="nats"):
            rr_epsilon_for_information(bad)


def test_presence_is_hidden_by_half_the_epsilon_and_a_bit() -> None:
    assert round(rr_presence_epsilon(1.0), 3) == 0.620
    # an absent person's fair coin against the two laws of a present one
    p, q = 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))
    worst = max(abs(math.log(p / 0.5)), abs(math.log(q / 0.5)))
    assert rr_presence_epsilon(1.0) == pytest.approx(worst)


def test_repeated_answers_about_one_bit() -> None:
    assert round(rr_repeated_information(1.0, 10), 3) == 0.543
    assert round(rr_repeated_information(1.0, 50), 3) == 0.692
    assert rr_repeated_information(1.0, 1) == pytest.approx(rr_information(1.0))
    assert rr_repeated_information(1e-6, 3) == pytest.approx(3 * rr_information(1e-6))
    assert rr_repeated_information(50, 10**6) == pytest.approx(math.log(2))
    assert rr_repeated_information(0, 5) == rr_repeated_information(1, 0) == 0
    for epsilon in (0.999, 1.001):
        assert rr_repeated_information(epsilon, 7) < 7 * rr_information(epsilon)
