"""Training the network: refusals, against torch's own layers and optimiser, and its choice."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from collude.common.errors import DataInvalid, ExtraMissing, ScenarioInvalid
from collude.common.training import network, train_cnn, trainer, training_device
from collude.common.training.cnn import stream, validation_rows
from collude.common.training.device import cuda_works, resolve_device

needs_cuda = pytest.mark.skipif(not cuda_works(), reason="no CUDA device that torch can use here")


def planted(count, seed=0, strength=0.5):
    """Images of noise with a pattern in the middle, whose sign is the class; classes 2 and 7."""
    rng = np.random.default_rng(seed)
    larger = rng.integers(0, 2, count).astype(bool)
    images = 0.5 * rng.standard_normal((count, 20, 20))
    pattern = strength * np.random.default_rng(99).standard_normal((8, 8))
    images[:, 6:14, 6:14] += np.where(larger[:, None, None], pattern, -pattern)
    return images.reshape(count, 400), np.where(larger, 7, 2)


ROWS, LABELS = planted(400)


@pytest.mark.parametrize(
    ("rows", "labels", "field"),
    [
        (ROWS[:0], LABELS[:0], "labels"),
        (ROWS, LABELS[:-1], "labels"),
        (ROWS[:, :399], LABELS, "records"),
        (ROWS.reshape(-1, 20, 20), LABELS, "records"),
        (ROWS, np.full(400, 7), "labels"),
        (ROWS, np.arange(400) % 3, "labels"),
        (ROWS, (np.arange(400) == 5).astype(int), "labels"),
    ],
)
def test_what_the_network_cannot_learn_is_refused(rows, labels, field):
    with pytest.raises(DataInvalid) as caught:
        train_cnn(rows, labels, seed=0)
    assert caught.value.field == field


@pytest.mark.parametrize("scale", [1e39, 1e200])
def test_records_too_large_for_it_are_refused(scale):
    with pytest.raises(DataInvalid, match="too large"):
        train_cnn(scale * ROWS[:40], LABELS[:40], seed=0, epochs=1)


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ExtraMissing, match="train"):
        train_cnn(ROWS, LABELS, seed=0)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device here")
def test_cuda_is_refused_where_there_is_none_and_auto_is_the_processor():
    assert not cuda_works()
    assert (
        resolve_device("auto") == resolve_device("cpu") == training_device("cnn", "auto") == "cpu"
    )
    for call in (
        lambda: training_device("cnn", "cuda"),
        lambda: trainer("cnn", "cuda")(ROWS, LABELS, seed=0),
    ):
        with pytest.raises(ScenarioInvalid) as caught:
            call()
        assert caught.value.field == "training.device"


def test_the_linear_model_stays_on_the_processor():
    assert training_device("linear", "cuda") == "cpu"
    assert trainer("linear", "cuda")(ROWS, LABELS, seed=0).kind == "linear"


@pytest.fixture(scope="module")
def model():
    return train_cnn(ROWS, LABELS, seed=3, device="cpu")


def test_it_learns_a_planted_pattern(model):
    rows, labels = planted(1000, seed=1)
    assert (model.predict(rows) == labels).mean() > 0.9
    assert model.classes.tolist() == [2, 7]


def test_the_delivered_arrays_predict_as_torch_does(model):
    rows, _ = planted(1001, seed=2)
    weights = {n: torch.from_numpy(a.astype(np.float32)) for n, a in model.arrays().items()}
    theirs = network.logits(weights, torch.from_numpy(rows.astype(np.float32))).numpy()
    ours = model.scores(rows)[:, 1]
    assert np.abs(ours - theirs).max() < 1e-5
    assert (model.predict(rows) == np.where(theirs >= 0, 7, 2)).all()


def test_the_arrays_are_exactly_the_trained_float32(model):
    assert all((a == a.astype(np.float32)).all() for a in model.arrays().values())


def test_the_same_seed_gives_the_same_bytes_and_another_does_not():
    first, again, other = (
        train_cnn(ROWS[:300], LABELS[:300], seed=seed, device="cpu", epochs=2).arrays()
        for seed in (3, 3, 4)
    )
    assert all(first[name].tobytes() == again[name].tobytes() for name in first)
    assert all((first[name] != other[name]).any() for name in first)


def test_it_is_fifteen_epochs_on_all_rows_but_those_that_choose_the_epoch(model):
    held_out = validation_rows(LABELS == 7, stream(3, "validation"))
    training, validation = (
        network.Part(ROWS[chosen].astype(np.float32), LABELS[chosen] == 7)
        for chosen in (~held_out, held_out)
    )
    course = network.Course(stream(3, "weights"), stream(3, "order"), 15)
    by_hand = network.fit(training, validation, course, "cpu")
    assert all((by_hand[name] == array).all() for name, array in model.arrays().items())


def test_training_leaves_torch_as_it_was():
    def state():
        cudnn = torch.backends.cudnn
        flags = (cudnn.enabled, cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32)
        return torch.get_num_threads(), flags, torch.random.get_rng_state().tolist()

    before = state()
    train_cnn(ROWS[:40], LABELS[:40], seed=5, epochs=1)
    assert state() == before


def parts(count, seed):
    rows, labels = planted(count, seed)
    part = network.Part(rows.astype(np.float32), labels == 7)
    return part, replace(part, rows=part.rows[:60], larger=part.larger[:60])


def course(epochs):
    return network.Course(stream(8, "weights"), stream(8, "order"), epochs)


def test_it_steps_as_torch_with_plain_layers_and_adam():
    """513 rows: the last batch of an epoch has one row."""
    training, validation = parts(513, 6)
    net = nn.Sequential(
        nn.Conv2d(1, 10, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(10, 20, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(80, 50), nn.ReLU(), nn.Linear(50, 1),
    )  # fmt: skip
    with torch.no_grad():
        start = network.first_weights(stream(8, "weights"), "cpu").values()
        for parameter, first in zip(net.parameters(), start, strict=True):
            parameter.copy_(first.reshape(parameter.shape))
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3, fused=False, foreach=False)
    order, reached = stream(8, "order"), []
    for _ in range(3):
        shuffled = order.permutation(513)
        for begin in (0, 256, 512):
            chosen = shuffled[begin : begin + 256]
            images = torch.from_numpy(training.rows[chosen].reshape(-1, 1, 20, 20))
            wanted = torch.from_numpy(training.larger[chosen].astype(np.float32))
            chance = torch.sigmoid(net(images)[:, 0])
            loss = nn.functional.binary_cross_entropy(chance, wanted)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        images = torch.from_numpy(validation.rows.reshape(-1, 1, 20, 20))
        right = (torch.sigmoid(net(images)[:, 0]) >= 0.5).numpy() == validation.larger
        recalls = [right[validation.larger == side].mean() for side in (True, False)]
        kept = [p.detach().numpy().copy() for p in net.parameters()]
        reached.append((np.mean(recalls), kept))
    best = max(reached, key=lambda pair: pair[0])[1]  # the first of equals
    ours = network.fit(training, validation, course(3), "cpu")
    for mine, theirs in zip(ours.values(), best, strict=True):
        assert np.abs(mine - theirs.reshape(mine.shape)).max() < 1e-5


def test_the_earliest_of_the_best_epochs_is_kept():
    training, validation = parts(300, 7)
    value, kept, better, equal = -1.0, None, 0, 0
    for epochs in range(1, 8):
        weights = network.fit(training, validation, course(epochs), "cpu")
        tensors = {n: torch.from_numpy(w.astype(np.float32)) for n, w in weights.items()}
        rows = torch.from_numpy(validation.rows)
        now = network.balanced_accuracy(
            tensors, rows, torch.from_numpy(validation.larger.astype(np.float32))
        )
        same = kept is not None and all((weights[n] == kept[n]).all() for n in weights)
        assert now >= value
        assert same == (now == value)
        better, equal = better + (now > value), equal + same
        value, kept = now, weights
    assert better > 1
    assert equal > 1


def test_balanced_accuracy_is_the_mean_recall_and_one_half_is_of_the_larger_class():
    """A network that passes one pixel through: dark images get 0 and bright ones -1."""
    weights = {n: 0 * w.detach() for n, w in network.first_weights(stream(1, "x"), "cpu").items()}
    for name, value in (("conv1", 1), ("conv2", 1), ("hidden", 1), ("output", -1)):
        weights[f"{name}_weights"][0, 0] = value
    rows = torch.tensor([0.0, 0, 1, 1, 1]).reshape(-1, 1).expand(-1, 400)
    for targets, expected in (([1, 1, 0, 0, 0], 1.0), ([1, 0, 0, 0, 0], (1 + 3 / 4) / 2)):
        reached = network.balanced_accuracy(weights, rows, torch.tensor(targets).float())
        assert reached == expected


def test_first_weights_are_spread_as_those_of_torch_layers():
    ours = network.first_weights(stream(1, "weights"), "cpu")
    layers = [nn.Conv2d(1, 10, 5), nn.Conv2d(10, 20, 5), nn.Linear(80, 50), nn.Linear(50, 1)]
    for (name, mine), theirs in zip(
        ours.items(), (p for layer in layers for p in layer.parameters()), strict=True
    ):
        fan_in = {"conv1": 25, "conv2": 250, "hidden": 80, "output": 50}[name.split("_")[0]]
        assert mine.abs().max() <= fan_in**-0.5
        assert theirs.abs().max() <= fan_in**-0.5  # what torch does
        if mine.numel() > 40:
            assert mine.detach().std() * (3 * fan_in) ** 0.5 == pytest.approx(1, abs=0.15)
            assert theirs.detach().std() * (3 * fan_in) ** 0.5 == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize(("smaller", "larger"), [(2, 2), (3, 60), (12, 57), (200, 40), (1000, 7)])
def test_validation_rows_are_a_share_of_each_class_and_leave_some(smaller, larger):
    marks = np.random.default_rng(1).permutation(np.repeat([False, True], [smaller, larger]))
    chosen = validation_rows(marks, stream(0, "validation"))
    for side, count in ((False, smaller), (True, larger)):
        picked = int(chosen[marks == side].sum())
        assert 1 <= picked < count
        assert picked == max(1, round(0.15 * count))
    assert (chosen == validation_rows(marks, stream(0, "validation"))).all()
    if smaller > 100:
        assert (chosen != validation_rows(marks, stream(1, "validation"))).any()


def test_two_rows_of_each_class_are_enough():
    rows, labels = np.eye(400)[:4], np.array([0, 1, 0, 1])
    assert train_cnn(rows, labels, seed=0, epochs=1).predict(rows).shape == (4,)


@needs_cuda
def test_cuda_starts_alike_and_learns_as_well(model):
    rows, labels = planted(1000, seed=1)
    on_cuda = train_cnn(ROWS, LABELS, seed=3, device="cuda")
    assert (
        abs((on_cuda.predict(rows) == labels).mean() - (model.predict(rows) == labels).mean())
        < 0.05
    )
