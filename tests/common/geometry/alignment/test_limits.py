"""The estimators at the papers' size against closed forms and tabulated simulations."""

import numpy as np
import pytest

from collude.common.geometry import pair_error, polar_factor, rotation_error
from collude.common.geometry.alignment import align_spectral
from collude.common.geometry.theory import limit_pair_error, procrustes_rotation_error

PAIR_ERRORS_R401_P10 = {
    0.2: 0.040, 0.4: 0.157, 0.6: 0.345, 0.8: 0.592, 1.0: 0.880, 1.2: 1.152, 1.5: 1.422,
}  # fmt: skip
"""Pair error of the spectral estimator at d = 400, r = 401, p = 10, by s."""


@pytest.mark.parametrize(("s", "expected"), PAIR_ERRORS_R401_P10.items())
def test_the_pair_error_at_width_400_is_that_of_the_table(federate, s, expected):
    federation = federate(401, 400, 10, s=s, seed=int(100 * s))
    alignment = align_spectral(federation.uploads)
    measured = pair_error(federation.rotations, alignment.rotations)
    assert measured == pytest.approx(expected, rel=0.03)
    assert measured == pytest.approx(limit_pair_error(s), rel=0.03)
    assert alignment.expected_pair_error == pytest.approx(measured, rel=0.03)
    assert alignment.noise == pytest.approx(s, rel=0.01)


@pytest.mark.parametrize("s", [0.2, 0.6, 1.0])
@pytest.mark.parametrize("r", [401, 800])
def test_the_attack_error_at_width_400_is_2_minus_2_phi_at_any_r(federate, s, r):
    federation = federate(r, 400, 1, s=s, seed=7)
    B = federation.uploads[0]
    O_hat = polar_factor(federation.anchor.T @ (B - B.mean(axis=0)))
    measured = rotation_error(O_hat, federation.rotations[0])
    assert measured == pytest.approx(procrustes_rotation_error(s), rel=0.03)


def test_more_anchor_rows_align_worse_at_the_same_leak(federate):
    """At s = .8 and p = 10 the table gives .592 for r = d + 1 and .809 for r = 4 d."""
    d, p = 100, 10
    few, many = federate(d + 1, d, p, s=0.8, seed=1), federate(4 * d, d, p, s=0.8, seed=1)
    errors = [
        pair_error(federation.rotations, align_spectral(federation.uploads).rotations)
        for federation in (few, many)
    ]
    assert errors == pytest.approx([0.592, 0.809], rel=0.05)


def test_the_translation_estimate_is_off_by_v_squared_over_r(federate):
    """b_i = psi_i + eta_i, eta_i ~ N(0, v^2 / r I), as 1^T A = 0."""
    r, d, s = 9, 8, 0.5
    offsets = [
        upload.mean(axis=0) - secret.translation
        for seed in range(100)
        for federation in [federate(r, d, 5, s=s, seed=seed)]
        for upload, secret in zip(federation.uploads, federation.secrets, strict=True)
    ]
    assert np.var(offsets) * r * d / s**2 == pytest.approx(1.0, rel=0.07)
