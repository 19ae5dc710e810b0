"""Several models as one: what is refused, and that each comes back at its place."""

import json

import numpy as np
import pytest

from collude.common.errors import ModelInvalid
from collude.common.models import LinearModel, RepeatedModel, members_of, model_from

ROWS = np.random.default_rng(1).normal(size=(30, 4))


def member(seed, width=4):
    rng = np.random.default_rng(seed)
    return LinearModel(rng.normal(size=(width, 3)), rng.normal(size=3), np.array([1, 5, 9]))


def repeated(count=3):
    return RepeatedModel(tuple(member(seed) for seed in range(count)))


@pytest.mark.parametrize(
    "members",
    [None, [], {}, "linear", [member(0).architecture()] * 21, [{"kind": "forest"}] * 3, [3] * 3],
)
def test_members_that_cannot_be_built_are_refused(members):
    with pytest.raises(ModelInvalid):
        model_from({"kind": "repeated", "members": members}, repeated().arrays())


def test_members_within_members_are_refused():
    nested = {"kind": "repeated", "members": [repeated().architecture()]}
    arrays = {f"0/{name}": array for name, array in repeated().arrays().items()}
    with pytest.raises(ModelInvalid, match="unknown kind"):
        model_from(nested, arrays)


@pytest.mark.parametrize("name", ["3/weights", "weights", "-1/weights", "00/weights", "/bias", ""])
def test_an_array_of_no_member_is_refused(name):
    with pytest.raises(ModelInvalid) as caught:
        model_from(repeated().architecture(), repeated().arrays() | {name: np.zeros(3)})
    assert caught.value.field == "arrays"


def test_an_array_that_a_member_lacks_is_refused():
    arrays = repeated().arrays()
    del arrays["1/bias"]
    with pytest.raises(ModelInvalid, match="other arrays"):
        model_from(repeated().architecture(), arrays)


def test_members_of_different_widths_are_refused():
    mixed = RepeatedModel((member(0), member(1, width=5)))
    with pytest.raises(ModelInvalid, match="different widths"):
        model_from(mixed.architecture(), mixed.arrays())


def test_each_member_comes_back_at_its_place():
    models = repeated(12)
    rebuilt = model_from(json.loads(json.dumps(models.architecture())), models.arrays())
    assert len(members_of(rebuilt)) == 12
    for ours, theirs in zip(models.members, members_of(rebuilt), strict=True):
        assert (ours.scores(ROWS) == theirs.scores(ROWS)).all()


def test_it_predicts_as_its_first_member():
    assert (repeated().predict(ROWS) == member(0).predict(ROWS)).all()
    assert (repeated().scores(ROWS) == member(0).scores(ROWS)).all()
    assert (repeated().predict(ROWS) != member(1).predict(ROWS)).any()
    assert repeated().width == 4


def test_a_single_model_is_its_own_only_member():
    single = member(0)
    assert members_of(single) == (single,)
