"""A participant's delivery: a model or map that cannot be used is the analyst's fault, by name."""

import json
from dataclasses import replace

import numpy as np
import pytest
from testkit.faults import at, ends
from testkit.federation import P0, federation, parties
from testkit.network import by_analyst, rewrite, talk

from collude.common.errors import ModelInvalid, ProtocolViolation
from collude.common.ids import ANALYST
from collude.common.models.cnn import SHAPES as CNN_SHAPES
from collude.common.protocol import messages as m
from collude.common.protocol.terms import terms_of
from collude.participant.r5_deliver import DeliverState

FED = federation()
D = 8


def refused(change, error, fed=FED):
    hands = by_analyst(rewrite(m.Delivery, change, to=P0))
    return ends(fed, hands, error, ANALYST, by=P0).errors[P0]


MAPS = {
    "missing": None,
    "narrow": m.AlignmentMap(np.eye(7), np.zeros(7), np.zeros(7)),
    "not square": m.AlignmentMap(np.zeros((8, 7)), np.zeros(8), np.zeros(8)),
    "long mean": m.AlignmentMap(np.eye(8), np.zeros(9), np.zeros(8)),
    "short offset": m.AlignmentMap(np.eye(8), np.zeros(8), np.zeros(7)),
    "empty": m.AlignmentMap(np.zeros((0, 0)), np.zeros(0), np.zeros(0)),
    "NaN": m.AlignmentMap(np.full((8, 8), np.nan), np.zeros(8), np.zeros(8)),
    "infinite": m.AlignmentMap(np.eye(8), np.zeros(8), np.full(8, np.inf)),
}


@pytest.mark.parametrize("to", MAPS.values(), ids=MAPS)
def test_a_map_that_cannot_be_used_is_refused(to):
    error = refused(lambda delivery: replace(delivery, alignment=to), ProtocolViolation)
    assert "rotation" in error.field


@pytest.mark.parametrize("method", ["i-gdp", "c-gdp"])
def test_a_map_where_nothing_is_aligned_is_refused(method):
    to = m.AlignmentMap(np.eye(D), np.zeros(D), np.zeros(D))
    refused(lambda d: replace(d, alignment=to), ProtocolViolation, federation(method))


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "nonsense", "[" * 100_000, "null", "[]", "7", '"linear"', "{}",
        '{"kind": "magic"}',
        '{"kind": "linear"}', '{"kind": "linear", "width": 8, "classes": []}',
        '{"kind": "linear", "width": -8, "classes": [0, 1]}',
        '{"kind": "linear", "width": 8, "classes": [1, 0]}',
        '{"kind": "linear", "width": 8, "classes": [0, 1, 2]}',
        '{"kind": "linear", "width": 1e400, "classes": [0, 1]}',
        '{"kind": "linear", "width": 9' + "0" * 5000 + ', "classes": [0, 1]}',
    ],
)  # fmt: skip
def test_an_architecture_that_describes_no_model_is_refused(text):
    error = refused(lambda delivery: replace(delivery, architecture=text), ModelInvalid)
    assert len(str(error)) < 500


def narrow(delivery):
    """A whole model, for rows of another width."""
    weights, bias = m.NamedArray("weights", np.zeros((9, 2))), m.NamedArray("bias", np.zeros(2))
    architecture = '{"classes": [0, 1], "kind": "linear", "width": 9}'
    return replace(delivery, architecture=architecture, arrays=(bias, weights))


def named(prefix, classes=2):
    zeros = {"bias": np.zeros(classes), "weights": np.zeros((D, classes))}
    return tuple(m.NamedArray(prefix + name, array) for name, array in zeros.items())


LINEAR = {"classes": [0, 1], "kind": "linear", "width": D}


def test_more_models_than_the_scenario_trains_are_more_questions_and_refused():
    """Each model has the analyst told in which of its regions the held-out records lie."""
    architecture = json.dumps({"kind": "repeated", "members": [LINEAR] * 2})
    arrays = (*named("0/"), *named("1/"))
    error = refused(lambda d: replace(d, architecture=architecture, arrays=arrays), ModelInvalid)
    assert (error.expected, error.got) == ("linear", "linear, linear")


def test_a_model_of_another_kind_than_the_scenario_trains_is_refused():
    architecture = json.dumps({"kind": "cnn", "width": 400, "classes": [0, 1]})
    arrays = tuple(m.NamedArray(n, np.zeros(shape)) for n, shape in sorted(CNN_SHAPES.items()))
    state = DeliverState(400, terms_of(federation("i-gdp").scenario, FED.roster), bytes(32))
    as_linear = json.dumps({"kind": "linear", "width": 400, "classes": [0, 1]})
    zeros = (m.NamedArray("bias", np.zeros(2)), m.NamedArray("weights", np.zeros((400, 2))))
    state.receive(m.Delivery(as_linear, zeros, None))
    with pytest.raises(ModelInvalid, match="not the models") as caught:
        state.receive(m.Delivery(architecture, arrays, None))
    assert (caught.value.party, caught.value.got) == (ANALYST, "cnn")


def test_a_model_with_a_region_for_every_record_is_refused():
    architecture = json.dumps(LINEAR | {"classes": list(range(1001))})
    refused(lambda d: replace(d, architecture=architecture, arrays=named("", 1001)), ModelInvalid)


def with_array(index, array):
    def change(delivery):
        named = delivery.arrays[index]
        return replace(delivery, arrays=at(delivery.arrays, index, m.NamedArray(named.name, array)))

    return change


ARRAYS = {
    "another width": narrow,
    "none": lambda d: replace(d, arrays=()),
    "one missing": lambda d: replace(d, arrays=d.arrays[:1]),
    "one twice": lambda d: replace(d, arrays=(*d.arrays, d.arrays[0])),
    "one unknown": lambda d: replace(d, arrays=(*d.arrays, m.NamedArray("x", np.zeros(1)))),
    "integers": with_array(1, np.zeros((8, 2), np.int64)),
    "another shape": with_array(1, np.zeros((2, 8))),
    "NaN": with_array(1, np.full((8, 2), np.nan)),
    "infinite bias": with_array(0, np.full(2, np.inf)),
}


@pytest.mark.parametrize("change", ARRAYS.values(), ids=ARRAYS)
def test_arrays_that_make_no_model_are_refused(change):
    refused(change, ModelInvalid)


def test_a_model_of_absurd_numbers_is_evaluated_without_harm():
    hands = by_analyst(rewrite(m.Delivery, with_array(1, np.full((8, 2), 1e308)), to=P0))
    talked = talk(parties(FED), hands=hands)
    assert set(talked.errors.values()) == {None}


def test_a_map_of_absurd_numbers_is_applied_without_harm():
    to = m.AlignmentMap(np.full((D, D), 1e308), np.full(D, -1e308), np.zeros(D))
    hands = by_analyst(rewrite(m.Delivery, lambda d: replace(d, alignment=to), to=P0))
    talked = talk(parties(FED), hands=hands)
    assert set(talked.errors.values()) == {None}
