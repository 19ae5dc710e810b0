"""The colluder's transform, carried over by the alignment."""

from dataclasses import replace

import numpy as np
import pytest

from collude.attacker.attacks import registry
from collude.attacker.scoring import reconstruction_error
from collude.common.errors import AttackImpossible


def attack(view, target, rng):
    return registry()["alignment-map"].reconstruct(view, target, rng)


def test_without_a_transform_it_cannot_run(collusion, target, rng):
    view = collusion("naa-gdp", s=0.2).without("transform")
    with pytest.raises(AttackImpossible, match="transform"):
        attack(view, target, rng)


def test_it_needs_no_anchor_and_no_records(collusion, target, rng):
    case = collusion("aa-gdp")
    made = attack(case.without("anchor", "records"), target, rng)
    assert np.allclose(made.records, case.records, atol=1e-9)
    assert np.allclose(made.rotation, case.secret.rotation, atol=1e-9)


def test_its_error_is_twice_that_of_procrustes_at_small_noise(collusion, target, rng):
    carried, known = [], []
    for seed in range(6):
        case = collusion("naa-gdp", s=0.3, d=40, r=41, p=6, seed=seed)
        truth = case.secret.rotation
        for errors, name in ((carried, "alignment-map"), (known, "procrustes")):
            made = registry()[name].reconstruct(case.view, target, rng)
            errors.append(reconstruction_error(made, case.records, truth)["rotation"])
    assert np.mean(carried) / np.mean(known) == pytest.approx(2.0, rel=0.12)


def test_several_colluders_are_pooled(collusion, target, rng):
    case = collusion("naa-gdp", s=0.5, d=24, r=25, p=6)
    own = case.view.disclosures["participant-0"]
    with_own = attack(case.view, target, rng)
    # A second colluder that repeats the first adds nothing but must not break anything.
    both = replace(case.view, disclosures={"participant-0": own, "participant-2": own})
    assert attack(both, target, rng).records.shape == with_own.records.shape


def test_the_records_and_the_mean_of_others_do_not_matter(collusion, target, rng):
    case = collusion("naa-gdp", s=0.4)
    uploads = dict(case.view.uploads)
    uploads["participant-2"] = uploads["participant-2"]._replace(
        private=uploads["participant-2"].private + 100.0
    )
    moved = replace(case.view, uploads=uploads)
    assert np.array_equal(
        attack(case.view, target, rng).records, attack(moved, target, rng).records
    )
