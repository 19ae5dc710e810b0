"""A campaign: what it refuses, what it lists apart, and that each attack has its own stream."""

from dataclasses import replace

import numpy as np
import pytest

from collude.attacker.attacks import Reconstruction, registry
from collude.attacker.campaign import run_attacks
from collude.attacker.view import Public
from collude.common.errors import AttackImpossible, PluginUnknown
from collude.common.randomness import Entropy

BOTH = ("procrustes", "centred-procrustes")
ENTROPY = Entropy(bytes(range(32)), simulated=True)


@pytest.fixture
def view(collusion):
    return collusion("naa-gdp", s=0.2).view


def streams(asked):
    def stream(purpose):
        asked.append(purpose)
        return ENTROPY.generator(purpose)

    return stream


def test_an_unknown_attack_is_refused_before_any_runs(view, target):
    asked = []
    with pytest.raises(PluginUnknown) as caught:
        run_attacks(view, ["procrustes", "prokrustes"], target, streams(asked))
    assert "prokrustes" in caught.value.got
    assert "procrustes" in caught.value.expected
    assert asked == []


@pytest.mark.parametrize("wrong", ["participant-9", "analyst", "", "participant-0"])
def test_a_target_that_did_not_upload_or_colludes_is_refused(view, wrong):
    with pytest.raises(AttackImpossible) as caught:
        run_attacks(view, BOTH, wrong, streams([]))
    assert (caught.value.field, caught.value.got) == ("target", wrong)


def test_an_attack_that_lacks_something_is_listed_with_what_it_lacks(view, target):
    alone = replace(view, disclosures={})
    campaign = run_attacks(alone, BOTH, target, streams([]))
    assert campaign.colluders == ()
    assert set(campaign.impossible) | set(campaign.results) == set(BOTH)
    assert campaign.impossible["procrustes"] == registry()["procrustes"].missing(alone)
    assert all(campaign.impossible.values())


def test_each_attack_is_given_the_stream_of_its_name(view, target):
    asked = []
    campaign = run_attacks(view, BOTH, target, streams(asked))
    assert asked == [f"attack/{name}" for name in BOTH]
    assert campaign.target == target
    assert campaign.colluders == ("participant-0",)


def test_the_suite_does_not_change_what_an_attack_makes(view, target):
    together = run_attacks(view, BOTH, target, ENTROPY.generator)
    for name in BOTH:
        alone = run_attacks(view, [name], target, ENTROPY.generator)
        assert np.array_equal(alone.results[name].records, together.results[name].records)


def others_of(view, target):
    return [p for p in view.uploads if p != target and p not in view.disclosures]


def test_everyone_is_attacked_where_there_are_public_people_each_with_a_stream_of_its_own(
    view, target
):
    asked = []
    known = replace(view, public=Public(records=np.eye(8)))
    campaign = run_attacks(known, BOTH, target, streams(asked), everyone=True)
    (other,) = others_of(view, target)
    assert set(campaign.others) == {other}
    assert asked[:2] == [f"attack/{name}" for name in BOTH]
    assert set(asked[2:]) == {f"attack/{name}/{other}" for name in BOTH}
    turned = run_attacks(known, BOTH, other, streams([]))
    for name in BOTH:
        assert np.array_equal(campaign.others[other][name], turned.results[name].records)


def test_what_comes_of_the_target_does_not_depend_on_the_others(view, target):
    known = replace(view, public=Public(records=np.eye(8)))
    alone = run_attacks(known, BOTH, target, ENTROPY.generator)
    all_of_them = run_attacks(known, BOTH, target, ENTROPY.generator, everyone=True)
    assert alone.others == {}
    for name in BOTH:
        assert np.array_equal(alone.results[name].records, all_of_them.results[name].records)


def test_without_public_people_nobody_else_is_attacked(view, target):
    assert run_attacks(view, BOTH, target, streams([]), everyone=True).others == {}


class Greedy:
    """An attack that tries to change the view for those after it."""

    name, title, source = "greedy", "Greedy", "this test"

    def missing(self, view):
        return ()

    def reconstruct(self, view, target, rng):
        with pytest.raises(TypeError):
            view.uploads[target] = None
        with pytest.raises(AttributeError):
            view.target = "somebody"
        return Reconstruction(rng.standard_normal(view.uploads[target].private.shape))


def test_an_attack_cannot_change_the_view(view, target, monkeypatch):
    known = {**registry(), "greedy": Greedy()}
    monkeypatch.setattr("collude.attacker.campaign.registry", lambda: known)
    before = set(view.uploads)
    campaign = run_attacks(view, ["greedy", *BOTH], target, ENTROPY.generator)
    assert set(campaign.results) == {"greedy", *BOTH}
    assert set(view.uploads) == before


def test_no_record_is_in_a_repr(view, target):
    campaign = run_attacks(view, BOTH, target, ENTROPY.generator)
    assert "records" not in repr(campaign)
    assert "results" not in repr(campaign)
