"""The power refinement."""

import numpy as np
import pytest

from collude.common.geometry import pair_error
from collude.common.geometry.alignment import align_power, align_spectral


@pytest.mark.parametrize("settings", [{"max_iterations": 0}, {"tolerance": 0.0}, {"tolerance": -1}])
def test_settings_out_of_range_are_refused(federate, settings):
    with pytest.raises(ValueError, match="power method"):
        align_power(federate(5, 3, 2).uploads, **settings)


def test_it_never_leaves_a_larger_residual_than_its_start(federate):
    for seed in range(5):
        uploads = federate(32, 8, 4, s=0.9, seed=seed).uploads
        assert align_power(uploads).residual <= align_spectral(uploads).residual + 1e-12


def test_it_stops_where_its_own_step_changes_nothing(federate):
    """A fixed point: Bbar_i^T C R_i^T is symmetric and positive semidefinite."""
    uploads = federate(32, 8, 4, s=0.4).uploads
    alignment = align_power(uploads, tolerance=1e-12, max_iterations=2000)
    assert alignment.converged
    centred = [B - B.mean(axis=0) for B in uploads]
    total = sum(B @ R for B, R in zip(centred, alignment.rotations, strict=True))
    for B, R in zip(centred, alignment.rotations, strict=True):
        product = B.T @ total @ R.T
        np.testing.assert_allclose(product, product.T, atol=1e-9)
        assert np.linalg.eigvalsh((product + product.T) / 2).min() > 0


def test_without_noise_it_is_exact_at_once(federate):
    federation = federate(20, 5, 3)
    alignment = align_power(federation.uploads, max_iterations=2)
    assert alignment.converged
    assert pair_error(federation.rotations, alignment.rotations) < 1e-12


def test_the_cap_is_kept_and_told(federate):
    alignment = align_power(federate(160, 40, 2, s=1.5).uploads, max_iterations=3)
    assert not alignment.converged
    assert any("cap" in warning for warning in alignment.warnings)


def test_it_helps_near_the_transition_with_many_rows(federate):
    federation = federate(160, 40, 2, s=0.6, seed=2)
    plain = pair_error(federation.rotations, align_spectral(federation.uploads).rotations)
    refined = pair_error(federation.rotations, align_power(federation.uploads).rotations)
    assert refined < plain
