"""Anchor and second moments: gradients against finite differences, then what the attack gains."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import expm

from collude.attacker.attacks import registry
from collude.attacker.attacks.moment_solver import Problem, solve, turned
from collude.attacker.scoring import reconstruction_error
from collude.attacker.view import CollusionView, Disclosure, Parameters, UploadView
from collude.common.errors import AttackImpossible
from collude.common.geometry import (
    centered_orthonormal_anchor,
    haar_orthogonal,
    random_rigid_transform,
)


def problem(d=6, seed=3, beta=40.0):
    rng = np.random.default_rng(seed)
    spread, precision = rng.uniform(0.2, 4.0, d), rng.uniform(0.2, 4.0, d)
    return Problem(precision, spread, rng.standard_normal((d, d)), beta), haar_orthogonal(d, rng)


def test_without_records_it_has_no_prior(collusion, target, rng):
    view = collusion("naa-gdp", s=0.4).without("records")
    with pytest.raises(AttackImpossible, match="records"):
        registry()["moment-map"].reconstruct(view, target, rng)


def test_the_step_goes_down_along_the_finite_difference_gradient():
    case, U = problem()
    d, h = len(U), 1e-6
    W = case.step(U)
    P, N, inverse = case.moments(U), case.anchor @ U.T, case.prior_precision
    for j in range(d):
        for k in range(j):
            turn = np.zeros((d, d))
            turn[j, k], turn[k, j] = 1.0, -1.0
            forward = case.objective(expm(h * turn) @ U)
            backward = case.objective(expm(-h * turn) @ U)
            slope = (forward - backward) / (2 * h)
            analytic = case.beta * P[j, k] * (inverse[j] - inverse[k]) + N[k, j] - N[j, k]
            assert slope == pytest.approx(analytic, abs=1e-5 * max(1.0, abs(analytic)))
            assert W[j, k] * analytic <= 0.0
    assert np.allclose(W, -W.T)


def test_a_turn_keeps_the_matrix_orthogonal():
    case, U = problem()
    V = turned(U, case.step(U))
    assert np.allclose(V.T @ V, np.eye(len(U)), atol=1e-12)


def test_the_objective_never_rises_and_ends_where_nothing_pulls():
    case, U = problem()
    values = [case.objective(solve(case, U, steps)[0]) for steps in (0, 1, 3, 10, 400)]
    assert all(later <= earlier for earlier, later in pairwise(values))
    found, taken = solve(case, U, 400)
    assert taken < 400
    assert np.abs(case.step(found)).max() < 1e-2


def population(s, seed=0, d=30, n=600):
    """Return a view on records with a decaying spectrum, as pictures have it, and the truth."""
    rng = np.random.default_rng(seed)
    shape, scale = haar_orthogonal(d, rng), 4.0 / np.arange(1, d + 1)
    A, v = centered_orthonormal_anchor(d + 1, d, rng), s / np.sqrt(d)
    names = ["participant-0", "participant-1"]
    X = {name: (rng.standard_normal((n, d)) * scale) @ shape + 1.0 for name in names}
    secrets = {name: random_rigid_transform(d, rng) for name in names}
    uploads = {
        name: UploadView(
            secrets[name].apply(X[name]),
            secrets[name].apply(A) + v * rng.standard_normal(A.shape),
            np.zeros(n, dtype=np.int64),
        )
        for name in names
    }
    told = {names[0]: Disclosure(X[names[0]], secrets[names[0]], A)}
    return CollusionView(uploads, told, Parameters("naa-gdp", d, d + 1, v)), X[names[1]]


@pytest.mark.parametrize("s", [0.6, 1.0])
def test_it_beats_centring_several_times_over_where_the_spectrum_decays(s):
    view, truth = population(s)
    errors = {
        name: reconstruction_error(
            registry()[name].reconstruct(view, "participant-1", np.random.default_rng(5)), truth
        )["centred_relative"]
        for name in ("centred-procrustes", "moment-map")
    }
    assert errors["moment-map"] < errors["centred-procrustes"] / 2.0


def test_without_noise_it_is_exact(collusion, target):
    case = collusion("aa-gdp", mean=0.0)
    made = registry()["moment-map"].reconstruct(case.view, target, np.random.default_rng(5))
    assert np.allclose(made.rotation, case.secret.rotation, atol=1e-9)


def test_the_same_stream_gives_the_same_bytes():
    view, _ = population(0.8, n=80)
    made = [
        registry()["moment-map"].reconstruct(view, "participant-1", np.random.default_rng(9))
        for _ in range(2)
    ]
    assert made[0].records.tobytes() == made[1].records.tobytes()
