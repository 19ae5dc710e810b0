"""phi against a second derivation, a simulation and its limits."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from collude.common.geometry import haar_orthogonal, polar_factor, rotation_error
from collude.common.geometry.theory import limit_pair_error, phi, procrustes_rotation_error


@pytest.mark.parametrize("s", [-0.1, math.nan, math.inf])
def test_what_is_no_noise_level_is_refused(s):
    with pytest.raises(ValueError, match="at least 0"):
        phi(s)


def _phi_by_integral(s):
    """polar(M) = (2/pi) int M (M^T M + eta^2)^-1 d eta, and free probability gives the trace.

    With M = x I + G / sqrt(d), x = 1/s: tr M (M^T M + eta^2)^-1 / d -> x / (u^2 + x^2), where
    u = eta + u / (u^2 + x^2). Integrated over u instead of eta.
    """
    x = 1.0 / s
    start = math.sqrt(max(0.0, 1.0 - x * x))

    def integrand(u):
        q = u * u + x * x
        return x / q * (1.0 - (x * x - u * u) / q**2)

    return 2.0 / math.pi * quad(integrand, start, math.inf, limit=200)[0]


@pytest.mark.parametrize("s", [0.1, 0.6, 0.99, 1.0, 1.01, 1.2, 1.5, 2.0, 4.0, 10.0, 300.0, 3000.0])
def test_phi_equals_the_integral_it_came_from(s):
    assert phi(s) == pytest.approx(_phi_by_integral(s), rel=1e-7)


@pytest.mark.parametrize("s", [0.3, 0.8, 1.0, 1.5, 3.0])
def test_phi_is_what_a_simulation_at_width_300_shows(s):
    rng, d = np.random.default_rng(21), 300
    truth = haar_orthogonal(d, rng)
    O_hat = polar_factor(truth + s / math.sqrt(d) * rng.standard_normal((d, d)))
    assert np.trace(truth.T @ O_hat) / d == pytest.approx(phi(s), abs=0.01)
    assert rotation_error(O_hat, truth) == pytest.approx(procrustes_rotation_error(s), rel=0.03)


def test_phi_has_its_limits_and_no_jump():
    assert phi(0.0) == 1.0
    assert phi(1.0) == 0.75
    assert phi(1.0 + 1e-9) == pytest.approx(0.75, abs=1e-8)
    assert phi(1e3 * (1 + 1e-12)) == pytest.approx(phi(1e3), rel=1e-9)
    assert phi(1e12) == pytest.approx(8e-12 / (3 * math.pi))


def test_phi_falls():
    levels = np.concatenate([np.linspace(0, 3, 200), np.geomspace(3, 1e6, 100)[1:]])
    assert np.all(np.diff([phi(s) for s in levels]) < 0)


@pytest.mark.parametrize(("s", "error"), [(0.6, 0.18), (1.0, 0.5), (1.2, 0.6929), (4.0, 1.5783)])
def test_the_procrustes_error_has_the_known_values(s, error):
    assert procrustes_rotation_error(s) == pytest.approx(error, abs=5e-5)


def test_the_pair_error_starts_at_twice_the_attack_error_and_ends_at_random():
    assert limit_pair_error(0.01) == pytest.approx(2 * procrustes_rotation_error(0.01), rel=1e-4)
    assert limit_pair_error(1.0) == pytest.approx(0.875)
    assert limit_pair_error(1e6) == pytest.approx(2.0)
