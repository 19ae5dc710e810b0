"""The target's mean is estimated, not replaced: as good as it can be under a right prior."""

from dataclasses import replace

import numpy as np
import pytest

from collude.attacker.attacks import registry
from collude.attacker.attacks.prior import Prior, prior_from
from collude.attacker.attacks.shrunk_centre import most_likely_count, shrunk_mean
from collude.attacker.scoring import reconstruction_error
from collude.common.errors import AttackImpossible

D = 40


def attack(case, target, name="shrunk-centre"):
    return registry()[name].reconstruct(case.view, target, np.random.default_rng(0))


def centre_error(made, case):
    return float(np.sum((made.records.mean(axis=0) - case.records.mean(axis=0)) ** 2))


def test_without_records_it_has_no_prior(collusion, target, rng):
    view = collusion("naa-gdp", s=0.4).without("records")
    with pytest.raises(AttackImpossible, match="records"):
        registry()["shrunk-centre"].reconstruct(view, target, rng)


def test_under_i_gdp_there_is_no_rotation(collusion):
    missing = registry()["shrunk-centre"].missing(collusion("i-gdp").view)
    assert any("rotation" in what for what in missing)


@pytest.mark.parametrize("method", ["aa-gdp", "c-gdp"])
def test_without_noise_records_are_exact_mean_included(collusion, target, method):
    case = collusion(method)
    assert reconstruction_error(attack(case, target), case.records)["relative"] < 1e-9


def test_a_mean_that_is_not_the_colluders_is_found(collusion, target):
    """The colluder's people are elsewhere: the centred attack puts the target's there too."""
    case = collusion("naa-gdp", s=0.5, d=D, r=D + 1, n=200, mean=0.0)
    told = case.view.disclosures["participant-0"]
    away = 1.0 + told.records
    view = replace(case.view, disclosures={"participant-0": replace(told, records=away)})
    moved = replace(case, view=view)
    found = centre_error(attack(moved, target), case)
    given = centre_error(attack(moved, target, "centred-procrustes"), case)
    assert given == pytest.approx(D, rel=0.1)
    assert found < 0.1 * given


def test_at_overwhelming_noise_the_prior_mean_is_kept(collusion, target):
    case = collusion("naa-gdp", s=100.0, d=D, r=D + 1, n=200)
    made = attack(case, target)
    mu = case.view.disclosures["participant-0"].records.mean(axis=0)
    assert np.linalg.norm(made.records.mean(axis=0) - mu) < 0.2 * np.linalg.norm(mu)


def test_noise_on_the_records_is_averaged_out_of_the_mean(collusion, target):
    case = collusion("aa-gdp-noise", sigma=1.0, d=6, r=7, n=400)
    assert centre_error(attack(case, target), case) < 6 * 2.0 / 400


def test_the_mean_is_the_posterior_one():
    """Second derivation: by Bayes' rule with full matrices."""
    rng = np.random.default_rng(3)
    prior = prior_from(rng.standard_normal(4), rng.standard_normal((50, 4)) * [3, 2, 1, 0.5], "")
    shown, gain, noise, people = rng.standard_normal(4), 0.7, 0.3, 5
    precision = np.linalg.inv((prior.basis * prior.variances) @ prior.basis.T / people)
    wanted = np.linalg.solve(
        precision + np.eye(4) * gain**2 / noise, precision @ prior.mean + gain * shown / noise
    )
    assert shrunk_mean(shown, prior, gain, noise, people) == pytest.approx(wanted)


@pytest.mark.parametrize("people", [1, 8, 64])
def test_the_number_of_people_is_read_off_the_mean(people):
    rng = np.random.default_rng(people)
    prior = Prior(np.zeros(400), np.eye(400), np.ones(400), "")
    shown = 0.9 * rng.standard_normal(400) / people**0.5 + 0.02 * rng.standard_normal(400)
    assert most_likely_count(shown, prior, 0.9, 4e-4, 128) == people


def test_there_are_no_more_people_than_rows():
    prior = Prior(np.zeros(9), np.eye(9), np.ones(9), "")
    assert most_likely_count(np.zeros(9), prior, 0.9, 0.1, 5) == 4
    assert most_likely_count(np.zeros(9), prior, 0.0, 0.1, 1) == 1
