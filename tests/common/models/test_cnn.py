"""The network as arrays: what is refused, and its forward pass against torch's layers."""

import json
import time

import numpy as np
import pytest
import torch
from torch import nn

from collude.common.errors import DataInvalid, ModelInvalid
from collude.common.models import CnnModel, model_from
from collude.common.models.cnn import SHAPES
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.messages import Delivery, NamedArray


def model(seed=1, scale=0.3):
    rng = np.random.default_rng(seed)
    arrays = {name: scale * rng.standard_normal(shape) for name, shape in SHAPES.items()}
    return CnnModel(arrays, np.array([3, 8]))


def layers(arrays, dtype):
    """The same network in torch's own layers, ReLU before the pooling as in the paper."""
    net = nn.Sequential(
        nn.Conv2d(1, 10, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(10, 20, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(80, 50), nn.ReLU(), nn.Linear(50, 1),
    ).to(dtype)  # fmt: skip
    with torch.no_grad():
        for parameter, array in zip(net.parameters(), arrays.values(), strict=True):
            parameter.copy_(torch.from_numpy(array).reshape(parameter.shape))
    return net


def by_torch(arrays, rows, dtype):
    with torch.no_grad():
        images = torch.from_numpy(rows).to(dtype).reshape(-1, 1, 20, 20)
        return layers(arrays, dtype)(images)[:, 0].numpy()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"width": 399}, "width"),
        ({"width": 400.0}, "width"),
        ({"width": None}, "width"),
        ({"classes": [3]}, "classes"),
        ({"classes": [3, 8, 9]}, "classes"),
        ({"classes": [8, 3]}, "classes"),
        ({"classes": None}, "classes"),
        ({"kind": "linear"}, "arrays"),
        ({"kind": "convnet"}, "kind"),
    ],
)
def test_an_architecture_that_does_not_fit_is_refused(change, field):
    with pytest.raises(ModelInvalid) as caught:
        model_from(model().architecture() | change, model().arrays())
    assert caught.value.field == field


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(
    "change",
    [
        lambda array: array.T.copy() if array.ndim == 2 else array[:, None],
        lambda array: array[:-1],
        lambda array: np.where(np.arange(array.size).reshape(array.shape) == 0, np.nan, array),
        lambda array: array * np.inf,
        lambda array: array.astype(np.float32),
        lambda array: array.astype(np.int64),
    ],
)
def test_an_array_of_another_shape_type_or_without_a_number_is_refused(name, change):
    arrays = model().arrays()
    with pytest.raises(ModelInvalid) as caught, np.errstate(invalid="ignore"):
        model_from(model().architecture(), arrays | {name: change(arrays[name])})
    assert caught.value.field == name


@pytest.mark.parametrize("name", SHAPES)
def test_a_missing_or_an_extra_array_is_refused(name):
    arrays = model().arrays()
    array = arrays.pop(name)
    for wrong in (arrays, arrays | {name: array, "further": array}):
        with pytest.raises(ModelInvalid, match="other arrays"):
            model_from(model().architecture(), wrong)


@pytest.mark.parametrize("rows", [np.ones((2, 399)), np.ones(400), np.ones((1, 20, 20))])
def test_rows_of_another_width_are_refused(rows):
    with pytest.raises(DataInvalid, match="another width"):
        model().predict(rows)


def test_there_are_9381_numbers():
    ours = sum(array.size for array in model().arrays().values())
    theirs = sum(p.numel() for p in layers(model().arrays(), torch.float64).parameters())
    assert ours == theirs == 9381


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("count", [1, 2, 127, 128, 129, 300])
def test_the_forward_pass_equals_torch(seed, count):
    rows = np.random.default_rng(seed + 10).standard_normal((count, 400))
    ours = model(seed).scores(rows)
    assert (ours[:, 0] == 0).all()
    theirs = by_torch(model(seed).arrays(), rows, torch.float64)
    assert np.abs(ours[:, 1] - theirs).max() < 1e-10 * max(1, np.abs(theirs).max())


def test_the_forward_pass_equals_torch_in_its_own_precision():
    network = model(4, scale=0.1)
    rows = np.random.default_rng(5).standard_normal((200, 400))
    theirs = by_torch(network.arrays(), rows, torch.float32)
    assert np.abs(network.scores(rows)[:, 1] - theirs).max() < 1e-5
    assert (network.predict(rows) == np.where(theirs >= 0, 8, 3)).all()


def test_no_rows_give_no_scores():
    assert model().scores(np.zeros((0, 400))).shape == (0, 2)
    assert model().predict(np.zeros((0, 400))).shape == (0,)


def test_a_row_is_scored_alike_alone_and_among_others():
    rows = np.random.default_rng(6).standard_normal((130, 400))
    alone = np.concatenate([model().scores(row[None]) for row in rows])
    assert np.allclose(alone, model().scores(rows), rtol=1e-12, atol=1e-12)


def test_rows_in_any_memory_order_are_scored_alike():
    rows = np.random.default_rng(6).standard_normal((9, 400))
    assert np.allclose(model().scores(np.asfortranarray(rows)), model().scores(rows), rtol=1e-12)


def test_one_half_is_of_the_larger_class():
    zero = CnnModel({name: np.zeros(shape) for name, shape in SHAPES.items()}, np.array([3, 8]))
    assert zero.predict(np.ones((2, 400))).tolist() == [8, 8]


def test_it_survives_the_wire():
    named = tuple(NamedArray(name, array) for name, array in model().arrays().items())
    sent = Delivery(json.dumps(model().architecture()), named, None)
    got = decode_message(encode_message(sent))
    rebuilt = model_from(json.loads(got.architecture), {a.name: a.array for a in got.arrays})
    rows = np.random.default_rng(7).standard_normal((5, 400))
    assert (rebuilt.scores(rows) == model().scores(rows)).all()
    assert (rebuilt.predict(rows) == model().predict(rows)).all()


def test_a_thousand_rows_take_less_than_a_second_of_computing():
    rows = np.random.default_rng(8).standard_normal((1000, 400))
    began = time.process_time()
    model().scores(rows)
    assert time.process_time() - began < 1.0
