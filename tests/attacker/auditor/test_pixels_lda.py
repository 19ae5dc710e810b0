"""The embedded auditor: what it refuses, whom it is made of, and that it finds people."""

from dataclasses import replace

import numpy as np
import pytest

from collude.attacker.auditor import PublicPeople, linkage, make_auditor
from collude.attacker.auditor.pixels_lda import NAME, _divided, _some, _trained
from collude.common.errors import AuditorUnusable, ScenarioInvalid
from collude.common.scenario.sections import Auditor as Settings


@pytest.mark.parametrize(
    ("people", "each"), [(0, 0), (1, 8), (3, 8), (12, 1)], ids=["none", "one", "three", "single"]
)
def test_too_few_public_people_are_counted(population, people, each):
    pictures, ids = np.zeros((people * each, 30)), np.repeat(np.arange(people), each)
    public = PublicPeople(pictures, ids, None, (6, 5), np.array([100]))
    with pytest.raises(AuditorUnusable, match=f"got {people} people"):
        make_auditor(public, Settings())


def test_somebody_on_both_sides_is_refused(population):
    with pytest.raises(AuditorUnusable, match="1 identities on both sides"):
        population().public(protected=(100, 3))


def test_another_width_is_refused(population):
    auditor = make_auditor(population().public(), Settings())
    with pytest.raises(AuditorUnusable, match="30 columns"):
        auditor.embed(np.zeros((2, 29)))


def test_an_unknown_auditor_names_those_that_are_known(population):
    with pytest.raises(ScenarioInvalid, match="did you mean pixels-lda") as caught:
        make_auditor(population().public(), Settings(name="pixel-lda"))
    assert caught.value.field == "auditor.name"


@pytest.mark.parametrize(("people", "trained"), [(4, 2), (5, 3), (10, 7), (20, 14)])
def test_seven_in_ten_train_and_the_others_calibrate(people, trained):
    ids = np.tile(np.arange(people) * 3, 4)
    train, calibrate = _divided(ids)
    assert len(np.unique(ids[train])) == trained
    assert not np.intersect1d(ids[train], ids[calibrate]).size
    assert len(train) + len(calibrate) == len(ids)


def test_whom_it_calibrates_on_changes_nothing_but_the_choice(population):
    public = population().public()
    _, calibrate = _divided(public.identities)
    moved = public.records.copy()
    moved[calibrate] *= 1 - 1e-6  # too little to choose otherwise
    one, other = _trained(public), _trained(replace(public, records=moved))
    for key in ("shrinkage", "dimensions"):
        assert one.details[key] == other.details[key]
    assert np.array_equal(one.mean, other.mean)
    assert np.array_equal(one.axes, other.axes)
    assert one.details["calibration_auc"] > 0.9


def test_equally_many_rows_of_each_are_calibrated_on_also_of_thousands():
    few = _some(np.repeat([5, 2, 9], [3, 1, 2]))
    assert sorted(few.tolist()) == [0, 1, 2, 3, 4, 5]
    many = np.repeat(np.arange(1000), 7)
    rows = _some(np.random.default_rng(0).permutation(many))
    assert len(rows) == 600
    wide = np.repeat([1, 2], 5000)
    assert np.bincount(wide[_some(wide)]).tolist() == [0, 300, 300]


@pytest.mark.parametrize("width", [8, None], ids=["feature map", "raw pictures"])
def test_it_finds_people_it_has_never_seen(population, width):
    public = population().public(width=width)
    auditor = make_auditor(public, Settings())
    pictures, ids = population().pictures(12, 5, first=100)
    kept = np.arange(len(ids)) % 5 == 0
    if public.features is not None:
        pictures = public.decode(public.features.encode(pictures))
    found = linkage(
        pictures[~kept], ids[~kept], pictures[kept], ids[kept], auditor.embed,
        np.random.default_rng(0),
    )  # fmt: skip
    assert found["rank1"] > 0.85
    assert found["auc"] > 0.95


def test_the_same_people_give_the_same_weights_and_others_do_not(population):
    first, again, other = (_trained(population(seed=s).public()) for s in (3, 3, 4))
    assert first.sha256 == again.sha256 != other.sha256
    assert len(first.sha256) == 64
    assert replace(first, floor=first.floor - 1e-9).sha256 != first.sha256


def test_it_is_made_once_for_the_same_public_people(population):
    settings = Settings()
    assert make_auditor(population().public(), settings) is make_auditor(
        population().public(), settings
    )
    changed = population().public()
    changed.records[0, 0] += 1e-9
    assert make_auditor(changed, settings) is not make_auditor(population().public(), settings)


def test_a_value_that_no_picture_has_counts_as_the_brightest(population):
    auditor = make_auditor(population().public(), Settings(name=NAME))
    pictures, _ = population().pictures(1, 1, first=100)
    glaring, bright = pictures.copy(), pictures.copy()
    glaring[0, 7], bright[0, 7] = 1e6, auditor.ceiling
    assert np.array_equal(auditor.embed(glaring), auditor.embed(bright))


def test_no_weight_or_record_is_in_a_repr(population):
    public = population().public()
    assert "records" not in repr(public)
    assert "axes" not in repr(make_auditor(public, Settings()))
