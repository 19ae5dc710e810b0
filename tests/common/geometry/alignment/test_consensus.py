"""The map of an upload that had no part in the alignment."""

import numpy as np
import pytest

from collude.common.geometry import pair_error
from collude.common.geometry.alignment import align_power, align_spectral, align_to_reference
from collude.common.geometry.alignment.consensus import consensus, rotation_onto

ESTIMATORS = {
    "reference": align_to_reference,
    "spectral": align_spectral,
    "power": align_power,
}


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
@pytest.mark.parametrize("scale", [1.0, 1e-80, 1e80])
def test_without_noise_whoever_was_left_out_fits_exactly_at_any_norm(federate, estimator, scale):
    federation = federate(20, 6, 5)
    alignment = estimator(federation.uploads[:4])
    agreed = consensus(alignment, federation.uploads[:4])
    rotation, mean = rotation_onto(agreed, scale * federation.uploads[4])
    assert pair_error(federation.rotations, [*alignment.rotations, rotation]) < 1e-12
    np.testing.assert_allclose(mean, scale * federation.uploads[4].mean(axis=0))
    np.testing.assert_allclose(
        (federation.uploads[4] - federation.uploads[4].mean(axis=0)) @ rotation + alignment.offset,
        agreed,
        atol=1e-12,
    )


def test_with_noise_it_fits_about_as_well_as_if_it_had_taken_part(federate):
    federation = federate(61, 60, 8, s=0.5, seed=2)
    alignment = align_spectral(federation.uploads[:7])
    rotation, _ = rotation_onto(consensus(alignment, federation.uploads[:7]), federation.uploads[7])
    left_out = pair_error(federation.rotations, [*alignment.rotations, rotation])
    together = pair_error(federation.rotations, align_spectral(federation.uploads).rotations)
    assert left_out == pytest.approx(together, rel=0.05)
