"""Alignment to a reference, for anchors without noise."""

import math

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes

from collude.common.geometry import pair_error
from collude.common.geometry.alignment import align_to_reference


@pytest.mark.parametrize("reference", [-1, 3, 10])
def test_an_unknown_reference_is_refused(federate, reference):
    with pytest.raises(ValueError, match="reference must be 0 to 2"):
        align_to_reference(federate(7, 4, 3).uploads, reference)


@pytest.mark.parametrize("reference", [0, 2])
def test_the_maps_undo_and_redo_the_secrets(federate, reference):
    """R_i = O_i^T O_s (Proposition III.1)."""
    federation = federate(9, 6, 4)
    alignment = align_to_reference(federation.uploads, reference)
    target = federation.rotations[reference]
    for O_i, R_i in zip(federation.rotations, alignment.rotations, strict=True):
        np.testing.assert_allclose(R_i, O_i.T @ target, atol=1e-12)
    np.testing.assert_array_equal(alignment.rotations[reference], np.eye(6))
    assert pair_error(federation.rotations, alignment.rotations) < 1e-12


def test_with_noise_each_map_is_scipys_procrustes_solution(federate):
    uploads = federate(12, 5, 3, s=0.5).uploads
    centred = [B - B.mean(axis=0) for B in uploads]
    alignment = align_to_reference(uploads, 1)
    for i in (0, 2):
        expected, _ = orthogonal_procrustes(centred[i], centred[1])
        np.testing.assert_allclose(alignment.rotations[i], expected, atol=1e-12)


def test_rows_land_in_the_coordinates_of_the_reference(federate):
    federation = federate(7, 4, 3)
    alignment = align_to_reference(federation.uploads, 2)
    X = np.random.default_rng(5).standard_normal((6, 4))
    for i, secret in enumerate(federation.secrets):
        aligned = alignment.transform(i, secret.apply(X))
        np.testing.assert_allclose(aligned, federation.secrets[2].apply(X), atol=1e-12)


def test_the_figures_of_a_clean_alignment(federate):
    alignment = align_to_reference(federate(5, 4, 3).uploads)
    assert alignment.residual < 1e-12
    assert alignment.noise < 1e-6  # the square root of rounding
    assert math.isnan(alignment.gap)
    assert alignment.converged
    assert alignment.warnings == ()
    assert alignment.expected_pair_error < 1e-12
