"""Gaussian answers: the attack against games that are played, the bound against every test."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.leakage import gaussian_sigma
from collude.codef.numeric import ratios
from collude.codef.risk import (
    exact_error_gaussian,
    largest_safe_count_gaussian,
    success_bound_gaussian,
)
from collude.common.errors import ParameterInvalid


def played(n: int, mu: float, k: int, games: int) -> tuple[float, float]:
    """The error of the maximum-likelihood attacker in so many games, and its standard error."""
    rng = np.random.default_rng(7)
    lost = 0
    for _ in range(games):
        book = rng.integers(0, 2, (n, k)) * 2 - 1
        target = int(rng.integers(n))
        answers = mu * book[target] + rng.standard_normal(k)
        score = book @ answers
        best = np.flatnonzero(score >= score.max() - 1e-9)
        lost += rng.choice(best) != target
    share = lost / games
    return share, math.sqrt(max(share * (1 - share), 1 / games) / games)


@pytest.mark.parametrize(
    ("n", "mu", "k"),
    [(2, 0.3, 1), (2, 1.0, 5), (50, 0.7, 15), (50, 1.5, 7), (200, 0.3, 90), (200, 0.6, 40)],
)
def test_the_attack_does_what_is_computed(n: int, mu: float, k: int) -> None:
    error, deviation = played(n, mu, k, 3000)
    assert abs(exact_error_gaussian(n, 2 * mu, 1.0, k) - error) < 3.5 * deviation + 0.005


def test_two_persons_have_a_closed_form() -> None:
    """They differ in m of k silos: an antipodal decision at distance mu sqrt(m)."""
    for mu, k in ((0.4, 3), (0.4, 20), (1.0, 12), (0.1, 200)):
        m = np.arange(k + 1)
        each = scipy.stats.norm.sf(mu * np.sqrt(m))
        exact = scipy.stats.binom.pmf(m, k, 0.5) @ each
        assert exact_error_gaussian(2, 2 * mu, 1.0, k) == pytest.approx(exact, abs=0.005)


def test_the_ends() -> None:
    assert exact_error_gaussian(500, 1.0, 2.0, 0) == 1 - 1 / 500
    assert exact_error_gaussian(500, 1e-6, 1.0, 3) == pytest.approx(1 - 1 / 500, abs=5e-4)
    assert exact_error_gaussian(500, 1.0, 1.0, 10**6) == pytest.approx(0, abs=1e-12)
    # noiseless: only persons with the very same attributes are left, by lot
    ties = scipy.stats.binom(499, 2**-6)
    expected = 1 - sum(ties.pmf(t) / (t + 1) for t in range(60))
    assert exact_error_gaussian(500, 40.0, 1.0, 6) == pytest.approx(expected, rel=1e-6)


def test_the_mean_is_taken_without_a_jump_between_the_ways() -> None:
    """16 answers are enumerated, 17 tabulated, 65 taken as normally spread."""
    for mu, last in ((1.0, 16), (0.5, 64)):
        found = [exact_error_gaussian(500, 2 * mu, 1.0, k) for k in range(last - 1, last + 3)]
        steps = np.diff(found)
        assert (steps < 0.004).all()
        assert steps.min() > -0.07


PAPER = gaussian_sigma(1.0, 1e-5)


@pytest.mark.parametrize("k", [1, 10, 242, 587, 1173])
def test_the_bound_converges_from_above(k: int, monkeypatch) -> None:
    bound = success_bound_gaussian(500, 1.0, PAPER, k)
    monkeypatch.setattr(ratios, "LEVELS", 2**19)
    finer = success_bound_gaussian(500, 1.0, PAPER, k)
    assert finer - 1e-9 <= bound <= finer * 1.0005


def test_one_answer_is_the_best_test_of_one_answer() -> None:
    """Reject above a threshold: power P(y > c) where Q(y > c) = 1/n."""
    mu, n = 0.8, 50

    def level(c: float) -> float:
        return (scipy.stats.norm.sf(c - mu) + scipy.stats.norm.sf(c + mu)) / 2

    low, high = 0.0, 10.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if level(middle) > 1 / n else (low, middle)
    power = scipy.stats.norm.sf(low - mu)
    assert success_bound_gaussian(n, 2 * mu, 1.0, 1) == pytest.approx(power, rel=1e-4)
    assert success_bound_gaussian(n, 2 * mu, 1.0, 1) >= power


@given(st.integers(2, 10**5), st.floats(0.01, 6), st.integers(0, 400))
def test_the_bound_exceeds_the_attack_and_grows(n: int, mu: float, k: int) -> None:
    bound = success_bound_gaussian(n, 2 * mu, 1.0, k)
    assert bound >= 1 - exact_error_gaussian(n, 2 * mu, 1.0, k) - 0.006
    assert success_bound_gaussian(n, 2 * mu, 1.0, k + 1) >= bound * 0.999
    assert bound <= min(1, 2.0**k / n) * (1 + 1e-9)


@pytest.mark.parametrize(("mu", "k"), [
    (8.0, 9), (8.5, 7), (8.0, 70000), (3.0, 256), (3.0, 257), (29.0, 5), (1e-4, 10**9),
    (3e-3, 10**6), (0.5, 10**7),
])  # fmt: skip
def test_the_bound_at_the_edges_of_its_grid(mu: float, k: int) -> None:
    bound = success_bound_gaussian(500, 2 * mu, 1.0, k)
    if mu > 2:
        assert bound == pytest.approx(min(1.0, 2.0 ** min(k, 100) / 500), rel=1e-3)
    else:  # k mu^2/2 nats are all that counts when answers are weak
        same = success_bound_gaussian(500, 0.02, 1.0, max(1, round(k * mu**2 / 1e-4)))
        assert bound == pytest.approx(same, rel=2e-3)


def test_the_largest_safe_count() -> None:
    count = largest_safe_count_gaussian(500, 1.0, PAPER, 0.1)
    assert count == 242
    assert success_bound_gaussian(500, 1.0, PAPER, count) <= 0.1
    assert success_bound_gaussian(500, 1.0, PAPER, count + 1) > 0.1
    with pytest.raises(ValueError, match="max_success"):
        largest_safe_count_gaussian(500, 1.0, PAPER, 0.001)


def test_a_prior_replaces_the_guess() -> None:
    same = success_bound_gaussian(100, 1.0, 2.0, 9)
    assert success_bound_gaussian(500, 1.0, 2.0, 9, max_prior=0.01) == pytest.approx(same)


@pytest.mark.parametrize(
    "bad", [(1, 1, 1, 5), (500, 0, 1, 5), (500, 1, 0, 5), (500, 1, 1, -1), (500, math.nan, 1, 5)]
)
def test_bad_arguments_are_refused(bad) -> None:
    for call in (exact_error_gaussian, success_bound_gaussian):
        with pytest.raises(ParameterInvalid):
            call(*bad)
