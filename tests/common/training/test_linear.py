"""The linear trainer against torch itself, against scikit-learn, and under a rotation."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from collude.common.data import load_dataset
from collude.common.errors import DataInvalid, ExtraMissing
from collude.common.geometry import haar_orthogonal
from collude.common.scenario import build_scenario
from collude.common.training import train_linear, trainers


@pytest.fixture(scope="module")
def digits():
    return load_dataset(build_scenario({"scenario": {"name": "x", "seed": 7}}))


@pytest.fixture(scope="module")
def model(digits):
    return train_linear(digits.records, digits.labels, seed=1)


def test_no_rows_or_too_few_labels_are_refused():
    with pytest.raises(DataInvalid):
        train_linear(np.ones((0, 3)), np.ones(0, int), seed=1)
    with pytest.raises(DataInvalid):
        train_linear(np.ones((4, 3)), np.ones(3, int), seed=1)


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ExtraMissing, match="train"):
        train_linear(np.eye(4), np.arange(4), seed=1)


def test_torch_is_not_imported_before_a_trainer_is_called():
    code = "import sys, collude.common.training; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_numpy_forward_pass_equals_torch(digits, model):
    layer = torch.nn.Linear(64, 10, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(model.weights.T))
        layer.bias.copy_(torch.from_numpy(model.bias))
        scores = layer(torch.from_numpy(digits.records)).numpy()
    assert np.abs(scores - model.scores(digits.records)).max() < 1e-5
    assert (model.classes[scores.argmax(axis=1)] == model.predict(digits.records)).all()


def test_the_minimum_is_the_one_that_scikit_learn_finds(digits):
    rows, labels, l2 = digits.records[:600], digits.labels[:600], 1e-2
    centre = rows.mean(axis=0)
    scale = np.sqrt(np.mean((rows - centre) ** 2))
    scaled = (rows - centre) / scale
    peer = LogisticRegression(C=1 / (l2 * len(rows)), tol=1e-8, max_iter=5000).fit(scaled, labels)
    ours = train_linear(rows, labels, seed=1, l2=l2)
    assert np.abs(ours.weights * scale - peer.coef_.T).max() < 1e-3
    gap = ours.scores(rows) - peer.decision_function(scaled)
    assert np.abs(gap - gap.mean(axis=1, keepdims=True)).max() < 1e-3


def test_a_common_rigid_transform_changes_nothing(digits, model):
    rotation = haar_orthogonal(64, np.random.default_rng(2))
    moved = digits.records @ rotation + np.linspace(-5, 5, 64)
    turned = train_linear(moved, digits.labels, seed=1)
    assert np.abs(turned.scores(moved) - model.scores(digits.records)).max() < 1e-2
    assert (turned.predict(moved) == model.predict(digits.records)).mean() > 0.999


def test_the_same_seed_gives_the_same_bytes_and_another_almost_the_same(digits, model):
    again = train_linear(digits.records, digits.labels, seed=1)
    other = train_linear(digits.records, digits.labels, seed=2)
    assert again.weights.tobytes() == model.weights.tobytes()
    assert again.bias.tobytes() == model.bias.tobytes()
    assert 0 < np.abs(other.weights - model.weights).max() < 1e-2


def test_training_leaves_torch_as_it_was(digits):
    threads, state = torch.get_num_threads(), torch.random.get_rng_state()
    train_linear(digits.records[:100], digits.labels[:100], seed=5)
    assert torch.get_num_threads() == threads
    assert (torch.random.get_rng_state() == state).all()


@pytest.mark.parametrize(
    "rows", [np.ones((5, 3)), np.zeros((5, 3)), np.full((5, 3), 1e6), np.eye(5)[:, :3] * 1e-6]
)
def test_equal_tiny_and_huge_rows_give_finite_weights(rows):
    trained = train_linear(rows, np.array([0, 0, 0, 1, 1]), seed=1)
    assert np.isfinite(trained.weights).all()
    assert trained.predict(rows).shape == (5,)


def test_one_class_only_is_always_answered():
    trained = trainers["linear"](np.eye(3), np.full(3, 4), seed=1)
    assert trained.predict(np.ones((2, 3))).tolist() == [4, 4]
