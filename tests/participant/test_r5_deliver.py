"""A participant's delivery: a model or map that cannot be used is the analyst's fault, by name."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.faults import at, ends
from testkit.federation import P0, federation, parties
from testkit.network import by_analyst, rewrite, talk

from collude.common.errors import ModelInvalid, ProtocolViolation
from collude.common.ids import ANALYST
from collude.common.protocol import messages as m

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
