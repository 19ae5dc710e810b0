"""Least squares on the anchor, and its blow-up."""

import numpy as np
import pytest

from collude.attacker.attacks import registry
from collude.attacker.scoring import reconstruction_error
from collude.common.errors import AttackImpossible


def test_without_the_anchor_it_cannot_run(collusion, target, rng):
    case = collusion("naa-gdp", s=0.2)
    view = case.without("anchor")
    assert registry()["moore-penrose"].missing(view)
    with pytest.raises(AttackImpossible, match="anchor"):
        registry()["moore-penrose"].reconstruct(view, target, rng)


def test_it_is_exact_without_noise(collusion, target, rng):
    case = collusion("aa-gdp")
    made = registry()["moore-penrose"].reconstruct(case.view, target, rng)
    assert np.allclose(made.records, case.records, atol=1e-9)


def test_procrustes_is_never_far_behind_it_and_mostly_ahead(collusion, target, rng):
    ahead = 0
    for seed in range(20):
        case = collusion("naa-gdp", s=0.8, seed=seed, d=16, r=17)
        errors = {
            name: reconstruction_error(
                registry()[name].reconstruct(case.view, target, rng), case.records
            )["relative"]
            for name in ("moore-penrose", "procrustes")
        }
        ahead += errors["procrustes"] < errors["moore-penrose"]
    assert ahead >= 18
