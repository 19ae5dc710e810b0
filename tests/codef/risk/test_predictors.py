"""Finite-blocklength predictors: a second derivation of the exact curve, and of nothing else."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr, ndtri

from collude.codef.leakage import rr_dispersion, rr_information
from collude.codef.risk import critical_silos, exact_error, silos_at_error, success_bound


def normal_silos(n: int, epsilon: float, error: float, log_term: float) -> float:
    """ln n = k I_1 - sqrt(k V) Q^-1(e) + log_term ln k (Polyanskiy, Poor, Verdu 2010)."""
    nats, dispersion = rr_information(epsilon), rr_dispersion(epsilon)

    def gap(k: float) -> float:
        return (
            k * nats
            + math.sqrt(k * dispersion) * ndtri(error)
            + log_term * math.log(k)
            - math.log(n)
        )

    return brentq(gap, 1 if gap(1) < 0 else 1e-3, 50 * math.log(n) / nats)


def score_error(n: int, epsilon: float, k: float) -> float:
    """1 - E Phi(mu + sd N)^(n - 1), mu = sqrt(k) tanh t, sd = 2 sqrt(pq)."""
    t = epsilon / 2
    nodes = np.linspace(-9, 9, 2001)
    weights = np.exp(-nodes * nodes / 2)
    inner = math.sqrt(k) * math.tanh(t) + nodes / math.cosh(t)
    return float(1 - np.exp((n - 1) * log_ndtr(inner)) @ weights / weights.sum())


def score_silos(n: int, epsilon: float, error: float) -> float:
    scale = critical_silos(n, rr_information(epsilon))
    return brentq(lambda k: score_error(n, epsilon, k) - error, 0.05 * scale, 6 * scale)


def bound_silos(n: int, epsilon: float, error: float) -> float:
    """Where the universal bound falls to the error, between whole numbers."""
    high = next(k for k in itertools.count() if 1 - success_bound(n, [(epsilon, k)]) <= error)
    above, below = (1 - success_bound(n, [(epsilon, k)]) for k in (high - 1, high))
    return high - 1 + (above - error) / (above - below)


# k/k*: exact, normal without and with the logarithm, central limit of the score, universal bound
TABLE = {
    (500, 1.0, 0.5): (0.743, 1.000, 0.704, 0.767, 0.673),
    (500, 1.0, 0.1): (1.521, 1.958, 1.476, 1.525, 1.349),
    (500, 1.0, 0.01): (2.382, 3.234, 2.604, 2.354, 2.091),
    (500, 2.0, 0.5): (0.759, 1.000, 0.783, 0.832, 0.667),
    (500, 2.0, 0.1): (1.432, 1.776, 1.431, 1.453, 1.274),
    (2000, 1.0, 0.5): (0.777, 1.000, 0.742, 0.804, 0.718),
    (2000, 1.0, 0.1): (1.471, 1.839, 1.441, 1.479, 1.338),
}


@pytest.mark.parametrize("point", TABLE)
def test_the_table_of_predictors(point: tuple[int, float, float]) -> None:
    scale = critical_silos(point[0], rr_information(point[1]))
    found = (
        silos_at_error(*point),
        normal_silos(*point, 0.0),
        normal_silos(*point, 0.5),
        score_silos(*point),
        bound_silos(*point),
    )
    assert tuple(round(k / scale, 3) for k in found) == pytest.approx(TABLE[point], abs=1.1e-3)


def test_the_dispersion_says_nothing_about_one_half() -> None:
    assert normal_silos(500, 1.0, 0.5, 0.0) == pytest.approx(56.0157, abs=1e-3)


def test_how_far_the_predictors_are_off_on_the_grid_of_experiment_1() -> None:
    worst = {"score": 0.0, "normal": 0.0}
    for n, epsilon in itertools.product((100, 500, 2000), (0.5, 1.0, 2.0)):
        nats, dispersion = rr_information(epsilon), rr_dispersion(epsilon)
        scale = critical_silos(n, nats)
        for k in {max(1, round(c * scale)) for c in np.linspace(0.2, 3, 15)}:
            exact = exact_error(n, epsilon, k)
            lead = k * nats + 0.5 * math.log(k) - math.log(n)
            normal = float(ndtr(-lead / math.sqrt(k * dispersion)))
            worst["score"] = max(worst["score"], abs(score_error(n, epsilon, k) - exact))
            worst["normal"] = max(worst["normal"], abs(normal - exact))
    assert worst["score"] == pytest.approx(0.094, abs=0.02)
    assert worst["normal"] == pytest.approx(0.133, abs=0.03)


def test_the_transition_is_wide() -> None:
    assert round(math.sqrt(2 / math.log(500)), 2) == 0.57
    nats, dispersion = rr_information(0.01), rr_dispersion(0.01)
    assert math.sqrt(dispersion / (nats * math.log(500))) == pytest.approx(0.57, abs=0.005)
