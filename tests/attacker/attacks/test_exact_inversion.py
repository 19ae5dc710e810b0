"""Exact inversion: when it must refuse, and that it is exact."""

from dataclasses import replace

import numpy as np
import pytest

from collude.attacker.attacks.exact_inversion import ExactInversion
from collude.attacker.scoring import reconstruction_error
from collude.attacker.view import CollusionView
from collude.common.errors import AttackImpossible

ATTACK = ExactInversion()


@pytest.mark.parametrize(
    ("method", "noise", "hidden", "lacking"),
    [
        ("c-gdp", {}, ["transform"], "common transform"),
        ("c-gdp-noise", {"sigma": 0.1}, ["transform"], "common transform"),
        ("i-gdp", {}, [], "transformed anchors"),
        ("aa-gdp", {}, ["anchor"], "anchor A"),
        ("naa-gdp", {"s": 0.1}, [], "without noise"),
    ],
)
def test_it_says_what_is_missing_and_refuses(
    collusion, target, rng, method, noise, hidden, lacking
):
    view = collusion(method, **noise).without(*hidden)
    assert any(lacking in what for what in ATTACK.missing(view))
    with pytest.raises(AttackImpossible, match=lacking):
        ATTACK.reconstruct(view, target, rng)


def test_the_analyst_alone_cannot(collusion):
    for method in ("c-gdp", "aa-gdp"):
        view = collusion(method).view
        assert ATTACK.missing(CollusionView(view.uploads, {}, view.parameters))


def test_a_target_that_uploaded_nothing_is_refused(collusion, rng):
    with pytest.raises(AttackImpossible, match="participant-9"):
        ATTACK.reconstruct(collusion("c-gdp").view, "participant-9", rng)


def test_an_anchor_that_does_not_fit_is_refused(collusion, target, rng):
    case = collusion("aa-gdp")
    wrong = replace(case.view.disclosures["participant-0"], anchor=case.anchor[1:])
    with pytest.raises(AttackImpossible, match="does not fit"):
        ATTACK.reconstruct(replace(case.view, disclosures={"participant-0": wrong}), target, rng)


@pytest.mark.parametrize("hidden", [[], ["records"]])
@pytest.mark.parametrize(
    ("method", "shape"),
    [("c-gdp", (9, 8)), ("aa-gdp", (9, 8)), ("aa-gdp", (401, 400)), ("naa-gdp", (32, 8))],
)
def test_it_recovers_everything(collusion, target, rng, method, shape, hidden):
    """Theorem III.2; NAA-GDP with v = 0 is AA-GDP."""
    case = collusion(method, r=shape[0], d=shape[1])
    view = case.without(*hidden)
    assert ATTACK.missing(view) == ()
    result = ATTACK.reconstruct(view, target, rng)
    assert np.abs(result.records - case.records).max() < 1e-9
    assert np.abs(result.rotation - case.secret.rotation).max() < 1e-9
    assert np.abs(result.translation - case.secret.translation).max() < 1e-9


@pytest.mark.parametrize("method", ["c-gdp-noise", "aa-gdp-noise"])
def test_noise_on_the_records_is_all_that_is_left(collusion, target, rng, method):
    """The error is sigma W O^T, so its energy is n d sigma^2 within sampling error."""
    case = collusion(method, sigma=0.3, n=2000)
    result = ATTACK.reconstruct(case.view, target, rng)
    left = result.records - case.records
    assert np.mean(left**2) == pytest.approx(0.09, rel=0.04)
    uploaded = case.view.uploads[target].private - case.secret.apply(case.records)
    np.testing.assert_allclose(left, uploaded @ case.secret.rotation.T, atol=1e-9)
    assert reconstruction_error(result, case.records, case.secret.rotation)["rotation"] < 1e-12


def test_an_anchor_need_not_be_centred_or_orthonormal(collusion, target, rng):
    case = collusion("aa-gdp")
    A = 5.0 + case.anchor @ np.diag(np.geomspace(1, 10, 8))
    upload = case.view.uploads[target]._replace(anchor=case.secret.apply(A))
    view = replace(
        case.view,
        uploads={target: upload},
        disclosures={"participant-0": replace(case.view.disclosures["participant-0"], anchor=A)},
    )
    assert np.abs(ATTACK.reconstruct(view, target, rng).records - case.records).max() < 1e-9


def test_nothing_in_the_view_is_changed_and_no_randomness_is_used(collusion, target, rng):
    case = collusion("aa-gdp")
    before = [case.view.uploads[target].private.copy(), case.anchor.copy()]
    state = rng.bit_generator.state
    ATTACK.reconstruct(case.view, target, rng)
    np.testing.assert_array_equal(case.view.uploads[target].private, before[0])
    np.testing.assert_array_equal(case.anchor, before[1])
    assert rng.bit_generator.state == state
