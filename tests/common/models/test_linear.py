"""A delivered model: what is refused, and that it survives the wire."""

import json

import numpy as np
import pytest

from collude.common.errors import DataInvalid, ModelInvalid
from collude.common.models import LinearModel, model_from


def model():
    rng = np.random.default_rng(3)
    return LinearModel(rng.normal(size=(4, 3)), rng.normal(size=3), np.array([1, 5, 9]))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"kind": "forest"}, "kind"),
        ({"kind": None}, "kind"),
        ({"kind": ["linear"]}, "kind"),
        ({"width": 5}, "weights"),
        ({"width": 0}, "width"),
        ({"width": True}, "width"),
        ({"width": "4"}, "width"),
        ({"width": None}, "width"),
        ({"classes": [1, 5]}, "weights"),
        ({"classes": []}, "classes"),
        ({"classes": [1, 5, 5]}, "classes"),
        ({"classes": [9, 5, 1]}, "classes"),
        ({"classes": [1, 5, 2**63]}, "classes"),
        ({"classes": [1.0, 5, 9]}, "classes"),
        ({"classes": 3}, "classes"),
    ],
)
def test_an_architecture_that_does_not_fit_is_refused(change, field):
    with pytest.raises(ModelInvalid) as caught:
        model_from(model().architecture() | change, model().arrays())
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"weights": np.full((4, 3), np.nan)}, "weights"),
        ({"bias": np.array([0, np.inf, 0])}, "bias"),
        ({"bias": np.zeros((3, 1))}, "bias"),
        ({"weights": np.zeros((4, 3), dtype=np.float32)}, "weights"),
        ({"weights": np.zeros((4, 3), dtype=object)}, "weights"),
        ({"extra": np.zeros(3)}, "arrays"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, field):
    with pytest.raises(ModelInvalid) as caught:
        model_from(model().architecture(), model().arrays() | change)
    assert caught.value.field == field


def test_a_missing_array_and_a_strange_architecture_are_refused():
    with pytest.raises(ModelInvalid, match="other arrays"):
        model_from(model().architecture(), {"weights": model().weights})
    with pytest.raises(ModelInvalid, match="unknown kind"):
        model_from([], model().arrays())


@pytest.mark.parametrize("rows", [np.ones((2, 5)), np.ones(4)])
def test_rows_of_another_width_are_refused(rows):
    with pytest.raises(DataInvalid, match="another width"):
        model().predict(rows)


def test_a_model_survives_json_and_its_arrays():
    rows = np.random.default_rng(4).normal(size=(50, 4))
    rebuilt = model_from(json.loads(json.dumps(model().architecture())), model().arrays())
    assert (rebuilt.scores(rows) == model().scores(rows)).all()
    assert (rebuilt.predict(rows) == model().predict(rows)).all()


def test_the_class_of_the_highest_score_wins_and_the_smaller_on_a_tie():
    scores = LinearModel(np.eye(3), np.zeros(3), np.array([1, 5, 9]))
    rows = np.array([[0.0, 2, 1], [0, 0, 3], [2, 2, 0]])
    assert scores.predict(rows).tolist() == [5, 9, 1]
