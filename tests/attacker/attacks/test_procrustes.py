"""Procrustes and centred Procrustes: what they need, and what theory says they reach."""

from dataclasses import replace

import numpy as np
import pytest

from collude.attacker.attacks.centred_procrustes import CentredProcrustes
from collude.attacker.attacks.procrustes import Procrustes
from collude.attacker.scoring import reconstruction_error
from collude.attacker.view import CollusionView, Public
from collude.common.errors import AttackImpossible
from collude.common.geometry import haar_orthogonal
from collude.common.geometry.theory import procrustes_rotation_error

PLAIN, CENTRED = Procrustes(), CentredProcrustes()
BOTH = pytest.mark.parametrize("attack", [PLAIN, CENTRED], ids=["plain", "centred"])


@BOTH
@pytest.mark.parametrize("method", ["c-gdp", "c-gdp-noise", "i-gdp"])
def test_without_anchor_uploads_they_refuse(collusion, target, rng, attack, method):
    view = collusion(method).view
    assert any("transformed anchors" in what for what in attack.missing(view))
    with pytest.raises(AttackImpossible, match="transformed anchors"):
        attack.reconstruct(view, target, rng)


@BOTH
def test_without_the_anchor_they_refuse(collusion, target, rng, attack):
    view = collusion("naa-gdp", s=0.1).without("anchor")
    assert any("anchor A" in what for what in attack.missing(view))
    with pytest.raises(AttackImpossible, match="anchor A"):
        attack.reconstruct(view, target, rng)


@BOTH
def test_the_analyst_alone_cannot(collusion, attack):
    view = collusion("naa-gdp", s=0.1).view
    assert attack.missing(CollusionView(view.uploads, {}, view.parameters))


def test_the_centred_attack_needs_records_for_the_mean_and_the_plain_one_none(collusion):
    view = collusion("naa-gdp", s=0.1).without("records", "transform")
    assert PLAIN.missing(view) == ()
    assert any("mean" in what for what in CENTRED.missing(view))
    public = replace(view, public=Public(records=np.zeros((3, 8))))
    assert CENTRED.missing(public) == ()


@BOTH
def test_a_target_that_uploaded_nothing_is_refused(collusion, rng, attack):
    with pytest.raises(AttackImpossible, match="participant-9"):
        attack.reconstruct(collusion("naa-gdp", s=0.1).view, "participant-9", rng)


@pytest.mark.parametrize("method", ["aa-gdp", "naa-gdp"])
def test_without_noise_the_plain_attack_is_exact(collusion, target, rng, method):
    case = collusion(method)
    result = PLAIN.reconstruct(case.view, target, rng)
    assert np.abs(result.records - case.records).max() < 1e-9
    assert np.abs(result.translation - case.secret.translation).max() < 1e-9


@pytest.mark.parametrize("s", [0.2, 0.6, 1.0])
def test_the_rotation_error_at_width_400_is_2_minus_2_phi(collusion, target, rng, s):
    case = collusion("naa-gdp", d=400, r=401, p=2, n=60, s=s)
    score = reconstruction_error(
        PLAIN.reconstruct(case.view, target, rng), case.records, case.secret.rotation
    )
    assert score["rotation"] == pytest.approx(procrustes_rotation_error(s), rel=0.03)


def test_no_other_rotation_fits_the_anchors_better(collusion, target, rng):
    """Maximum likelihood: ||H_r B - A O|| over O(d) is least at the estimate."""
    case = collusion("naa-gdp", s=0.8)
    B = case.view.uploads[target].anchor
    centred = B - B.mean(axis=0)
    O_hat = PLAIN.reconstruct(case.view, target, rng).rotation
    best = np.linalg.norm(centred - case.anchor @ O_hat)
    others = [haar_orthogonal(8, rng) for _ in range(200)] + [case.secret.rotation]
    assert all(np.linalg.norm(centred - case.anchor @ other) > best for other in others)


@BOTH
def test_records_rotation_and_translation_belong_together(collusion, target, rng, attack):
    case = collusion("naa-gdp", s=0.5)
    result = attack.reconstruct(case.view, target, rng)
    Y = case.view.uploads[target].private
    again = (Y - result.translation) @ result.rotation.T
    np.testing.assert_allclose(result.records, again, atol=1e-12)


def test_the_centred_attack_has_the_mean_of_the_colluder(collusion, target, rng):
    case = collusion("naa-gdp", s=0.5)
    result = CENTRED.reconstruct(case.view, target, rng)
    prior = case.view.disclosures["participant-0"].records.mean(axis=0)
    np.testing.assert_allclose(result.records.mean(axis=0), prior, atol=1e-12)
    assert result.diagnostics["mean_from"] == "colluders' records"


def test_without_a_colluders_records_the_mean_is_the_public_one(collusion, target, rng):
    view = collusion("naa-gdp", s=0.5).without("records")
    public = replace(view, public=Public(records=np.full((4, 8), 7.0)))
    result = CENTRED.reconstruct(public, target, rng)
    np.testing.assert_allclose(result.records.mean(axis=0), 7.0, atol=1e-12)
    assert result.diagnostics["mean_from"] == "public records"


def test_several_colluders_pool_their_records(collusion, target, rng):
    case = collusion("naa-gdp", s=0.5)
    first = case.view.disclosures["participant-0"]
    second = replace(first, records=np.zeros((20, 8)))
    view = replace(case.view, disclosures={"participant-0": first, "participant-2": second})
    expected = np.concatenate([first.records, second.records]).mean(axis=0)
    result = CENTRED.reconstruct(view, target, rng)
    np.testing.assert_allclose(result.records.mean(axis=0), expected, atol=1e-12)


def test_centring_gains_the_factor_that_theory_names(collusion, target, rng):
    """1 + ||mu||^2 / E||x - mu||^2 = 1 + 3^2 = 10 for a mean of 3 and unit variance.

    A mean record is one direction, so its error varies between draws: thirty are averaged.
    """
    cases = [
        collusion("naa-gdp", d=60, r=61, p=2, n=1000, s=0.6, mean=3.0, seed=seed)
        for seed in range(30)
    ]
    plain, centred = (
        [
            reconstruction_error(attack.reconstruct(case.view, target, rng), case.records)
            for case in cases
        ]
        for attack in (PLAIN, CENTRED)
    )
    gain = sum(x["relative"] for x in plain) / sum(x["relative"] for x in centred)
    assert gain == pytest.approx(10, rel=0.1)
    reached = np.mean([x["centred_relative"] for x in centred])
    assert reached == pytest.approx(procrustes_rotation_error(0.6), rel=0.05)


@BOTH
def test_the_answer_depends_on_the_view_alone(collusion, target, attack):
    view = collusion("naa-gdp", s=0.5).view
    results = [
        attack.reconstruct(view, target, np.random.default_rng(seed)).records for seed in (1, 2)
    ]
    np.testing.assert_array_equal(results[0], results[1])
