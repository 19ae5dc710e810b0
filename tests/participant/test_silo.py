"""A silo: its secret, what it sends and counts, and what it keeps to itself."""

import numpy as np
import pytest
from testkit.federation import P0, P1, D, entropy, federation, nearest_mean, silo

from collude.common.data import Share
from collude.common.errors import DataInvalid, NoUpload, ScenarioInvalid
from collude.common.geometry.expansion import expand_anchor, expand_transform
from collude.common.methods import METHODS
from collude.common.models import LinearModel
from collude.common.protocol import messages as m
from collude.common.scenario import build_scenario
from collude.participant.assemble import assemble, recipe_of
from collude.participant.disclose import ColluderDiscloser
from collude.participant.joint import joint_material, material_hash
from collude.participant.silo import Recipe, Silo

SEED = bytes(range(32))
FIELDS = ("records", "transform", "anchor", "noise")
ARRAYS = {
    "records": ["records"], "transform": ["rotation", "translation"], "anchor": ["anchor"],
    "noise": ["noise"],
}  # fmt: skip


def uploaded(method="naa-gdp"):
    made = silo(federation(method), P0)
    return made, made.upload(
        SEED if METHODS[method].anchor or METHODS[method].common_secret else None
    )


def test_local_makes_no_upload():
    with pytest.raises(NoUpload):
        silo(federation("local"), P0).upload(None)


def test_before_the_upload_there_is_no_secret_to_disclose():
    made = silo(federation(), P0)
    assert not made.has_uploaded
    assert ColluderDiscloser(made, FIELDS).disclosure() is None
    told = made.disclosure(FIELDS)
    assert told.rotation is told.translation is told.anchor is told.noise is None


@pytest.mark.parametrize("field", FIELDS)
def test_only_what_is_asked_for_is_disclosed(field):
    made, _ = uploaded()
    told = ColluderDiscloser(made, [field]).disclosure()
    shown = {name for names in ARRAYS.values() for name in names
             if getattr(told, name) is not None}  # fmt: skip
    assert shown == set(ARRAYS[field])
    nothing = ColluderDiscloser(made, []).disclosure()
    assert nothing == m.ColluderDisclosure(None, None, None, None, None)


def test_what_is_disclosed_is_what_was_used():
    made, sent = uploaded()
    told = made.disclosure(FIELDS)
    anchor = expand_anchor(SEED, D + 1, D)
    assert np.array_equal(told.anchor, anchor)
    again = anchor @ told.rotation + told.translation + told.noise
    assert np.allclose(again, sent.anchor, atol=1e-14)
    assert np.allclose(told.records @ told.rotation + told.translation, sent.private, atol=1e-14)
    assert 0.01 < told.noise.std() < 0.1  # v = .05


@pytest.mark.parametrize("method", ["naa-gdp", "c-gdp"])
def test_an_honest_silo_forgets_what_all_have_in_common(method):
    fed = federation(method)
    made = Silo(fed.shares[P0], recipe_of(fed.scenario, D), entropy(fed, P0), discloses=False)
    sent = made.upload(SEED)
    told = made.disclosure(FIELDS)
    assert told.anchor is told.noise is None
    assert sent == uploaded(method)[1]


def deployed(**collusion):
    return build_scenario({
        "scenario": {"name": "small", "mode": "deployment"},
        "data": {"participants": 3},
        "collusion": collusion,
    })


@pytest.mark.parametrize(("name", "kept"), [(P0, True), (P1, False)])
def test_in_a_deployment_only_a_colluder_keeps_the_anchor(name, kept):
    fed = federation()
    scenario = deployed(colluders=[P0], allow_in_deployment=True, attacks=[])
    _, made = assemble(
        scenario, name, fed.roster, fed.shares[name], fed.signing_key(name), entropy(fed, name)
    )
    made.upload(SEED)
    assert (made.disclosure(["anchor"]).anchor is not None) == kept


@pytest.mark.parametrize("method", [n for n, t in METHODS.items() if t.uploads])
def test_another_occasion_gives_another_secret_and_the_same_one_the_same(method):
    fed = federation(method)
    traits = METHODS[method]
    seed = SEED if traits.anchor or traits.common_secret else None
    first, again, other = (silo(fed, P0, occasion) for occasion in (0, 0, 1))
    sent = [made.upload(seed) for made in (first, again, other)]
    assert sent[0] == sent[1]
    # A common secret comes from the joint seed alone; noise never does.
    same = np.array_equal(sent[0].private, sent[2].private)
    assert same == (traits.common_secret and not traits.private_noise)


# --- joint material -------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_without_a_seed_there_is_nothing_joint(method):
    material = joint_material(method, None, 9, D)
    assert material.anchor is material.transform is None


@pytest.mark.parametrize("method", METHODS)
def test_a_method_makes_of_the_seed_what_it_uses(method):
    material, traits = joint_material(method, SEED, 9, D), METHODS[method]
    assert (material.anchor is not None) == traits.anchor
    assert (material.transform is not None) == traits.common_secret
    if traits.common_secret:
        assert np.array_equal(material.transform.rotation, expand_transform(SEED, D).rotation)


def test_the_hash_that_is_compared_covers_seed_method_and_shape():
    base = material_hash("naa-gdp", SEED, 9, D)
    others = {
        material_hash("c-gdp", SEED, 9, D), material_hash("naa-gdp", bytes(32), 9, D),
        material_hash("naa-gdp", SEED, 10, D), material_hash("naa-gdp", SEED, 9, D - 1),
    }  # fmt: skip
    assert base not in others
    assert len(others) == 4
    assert base == material_hash("aa-gdp", SEED, 9, D)
    assert SEED not in base


# --- counting -------------------------------------------------------------------------------


def bare(records, labels, tests, test_labels) -> Silo:
    share = Share(*(np.array(x) for x in (records, labels, tests, test_labels)))
    recipe = Recipe("i-gdp", 0, 0.0, 0.0, nearest_mean, (0,))
    return Silo(share, recipe, entropy(federation(), P0))


def test_alone_it_trains_on_its_own_records_and_counts_the_held_out_ones():
    made = bare([[0.0], [0.2], [5.0]], [3, 3, 7], [[0.1], [4.0], [9.0]], [3, 3, 7])
    counts = made.evaluate_alone()
    assert counts.classes.tolist() == [3, 7]
    assert counts.counts.tolist() == [[[1, 1], [0, 1]]]


def test_a_delivered_model_is_applied_through_the_own_secret_and_map():
    """A map that undoes the secret, so that the model sees the raw records again."""
    made = bare([[0.0, 1.0], [2.0, 1.0]], [0, 1], [[0.0, 9.0], [3.0, 9.0]], [0, 1])
    made.upload(None)
    told = made.disclosure(["transform"])
    undo = m.AlignmentMap(told.rotation.T, told.translation, np.zeros(2))
    on_first_column = LinearModel(
        np.array([[-1.0, 1.0], [0.0, 0.0]]), np.array([1.0, -1.0]), np.array([0, 1])
    )
    assert made.evaluate(on_first_column, undo).counts.tolist() == [[[1, 0], [0, 1]]]
    moved = m.AlignmentMap(told.rotation.T, told.translation, np.array([-9.0, 0.0]))
    assert made.evaluate(on_first_column, moved).counts.tolist() == [[[1, 0], [1, 0]]]


# --- out of a scenario ----------------------------------------------------------------------


def assembled(share, scenario=None):
    fed = federation()
    return assemble(
        scenario or fed.scenario, P0, fed.roster, share, fed.signing_key(P0), entropy(fed, P0)
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda s: Share(s.records[:0], s.labels[:0], s.test_records, s.test_labels),
        lambda s: Share(s.records * np.nan, s.labels, s.test_records, s.test_labels),
        lambda s: Share(s.records, s.labels[1:], s.test_records, s.test_labels),
        lambda s: Share(s.records, s.labels, s.test_records[:, 1:], s.test_labels),
        lambda s: Share(s.records.astype(object), s.labels, s.test_records, s.test_labels),
    ],
    ids=["zero rows", "NaN", "labels", "test width", "objects"],
)
def test_records_that_cannot_be_used_are_refused_before_anything_is_sent(change):
    with pytest.raises(DataInvalid) as caught:
        assembled(change(federation().shares[P0]))
    assert caught.value.party == P0


def test_an_anchor_that_is_too_short_is_refused_before_anything_is_sent():
    short = build_scenario({
        "scenario": {"name": "small", "seed": 1},
        "mechanism": {"anchor_rows": D},
    })
    with pytest.raises(ScenarioInvalid):
        assembled(federation().shares[P0], short)


def test_one_record_and_no_held_out_one_are_enough():
    session, made = assembled(
        Share(np.ones((1, D)), np.array([0]), np.ones((0, D)), np.zeros(0, int))
    )
    assert session.name == P0
    assert made.upload(SEED).private.shape == (1, D)
    assert made.evaluate(LinearModel(np.ones((D, 1)), np.zeros(1), np.array([0])), None).total == 0


@pytest.mark.parametrize("method", METHODS)
def test_a_recipe_has_an_anchor_where_the_method_has_one(method):
    recipe = recipe_of(federation(method).scenario, D)
    assert recipe.anchor_rows == (D + 1 if METHODS[method].anchor else 0)
