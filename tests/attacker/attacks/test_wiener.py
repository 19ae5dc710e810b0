"""Shrinkage by what is signal: never worse than no shrinkage where the prior is right."""

import numpy as np
import pytest

from collude.attacker.attacks import registry
from collude.attacker.attacks.channel import channel
from collude.attacker.scoring import reconstruction_error
from collude.common.errors import AttackImpossible


def error(name, case, target, rng):
    made = registry()[name].reconstruct(case.view, target, rng)
    return reconstruction_error(made, case.records)["centred_relative"]


def test_without_records_it_has_no_prior(collusion, target, rng):
    view = collusion("naa-gdp", s=0.4).without("records")
    with pytest.raises(AttackImpossible, match="records"):
        registry()["wiener"].reconstruct(view, target, rng)


def test_under_i_gdp_there_is_no_rotation(collusion):
    missing = registry()["wiener"].missing(collusion("i-gdp").view)
    assert any("rotation" in what for what in missing)


def test_it_is_better_than_no_shrinkage_under_noise(collusion, target, rng):
    gains = []
    for seed in range(8):
        case = collusion("naa-gdp", s=1.0, d=12, r=13, n=200, seed=seed)
        gains.append(
            error("centred-procrustes", case, target, rng) - error("wiener", case, target, rng)
        )
    # All columns alike: 2 (1 - phi) without shrinkage, 1 - phi^2 with it; phi(1) = 3/4.
    assert np.mean(gains) == pytest.approx(0.5 - 0.4375, abs=0.02)


def test_private_noise_meets_the_same_prior(collusion, target, rng):
    case = collusion("c-gdp-noise", sigma=2.0, d=6, n=400)
    shrunk = error("wiener", case, target, rng)
    # Signal 1 and noise 4 a column: the best linear estimate leaves 4/5 of the variance.
    assert shrunk == pytest.approx(0.8, abs=0.06)


def test_without_noise_nothing_is_lost(collusion, target):
    case = collusion("aa-gdp")
    seen = channel(case.view, target)
    assert (seen.gain, seen.noise) == (pytest.approx(1.0), pytest.approx(0.0, abs=1e-12))
