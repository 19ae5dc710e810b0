"""Counts, accuracies and intervals, each against another derivation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from collude.common.errors import DataInvalid
from collude.common.evaluation import ConfusionCounts, wilson_interval

labels = st.lists(st.tuples(st.integers(-2, 4), st.integers(-2, 4)), min_size=1, max_size=60)


def counts(pairs):
    truth, predicted = zip(*pairs, strict=True)
    return ConfusionCounts.from_predictions(truth, predicted)


def test_different_lengths_are_refused():
    with pytest.raises(DataInvalid, match="one prediction per label"):
        ConfusionCounts.from_predictions([1, 2, 3], [1, 2])


@given(labels)
def test_figures_equal_scikit_learn(pairs):
    truth, predicted = zip(*pairs, strict=True)
    ours = counts(pairs)
    assert ours.accuracy().value == pytest.approx(accuracy_score(truth, predicted))
    known = [pair for pair in pairs if pair[1] in truth]
    # scikit-learn warns of a class that is never true, and of a single class
    if len(known) == len(pairs) and len(set(truth)) > 1:
        assert ours.balanced_accuracy().value == pytest.approx(
            balanced_accuracy_score(truth, predicted)
        )


@given(labels, labels)
def test_pooling_parts_equals_counting_the_whole(first, second):
    pooled = ConfusionCounts.pooled([counts(first), counts(second)])
    whole = counts(first + second)
    assert (pooled.classes == whole.classes).all()
    assert (pooled.counts == whole.counts).all()


@given(labels)
def test_intervals_hold_the_value_and_stay_within_zero_and_one(pairs):
    for estimate in (counts(pairs).accuracy(), counts(pairs).balanced_accuracy()):
        lower, upper = estimate.interval
        assert 0 <= lower <= estimate.value <= upper <= 1
        assert upper > lower
        assert estimate.count == len(pairs)


@pytest.mark.parametrize(("right", "total"), [(0, 10), (10, 10), (7, 9), (449, 450)])
def test_wilson_equals_scipy(right, total):
    peer = binomtest(right, total).proportion_ci(method="wilson")
    assert wilson_interval(right, total) == pytest.approx((peer.low, peer.high), abs=1e-12)


def test_the_counts_are_true_by_predicted():
    table = counts([(1, 1), (1, 2), (1, 2), (2, 1)])
    assert table.counts.tolist() == [[[1, 2], [1, 0]]]


def test_a_class_that_is_never_true_is_left_out_of_the_balance():
    estimate = counts([(0, 0), (0, 0), (1, 1), (1, 7)]).balanced_accuracy()
    assert estimate.value == pytest.approx((1 + 0.5) / 2)


def test_the_balanced_interval_covers_at_the_promised_rate():
    rng = np.random.default_rng(5)
    recalls, rows, covered = np.array([0.95, 0.7, 0.85]), np.array([40, 60, 25]), 0
    truth = np.repeat(np.arange(3), rows)
    for _ in range(1000):
        wrong = rng.random(len(truth)) > recalls[truth]
        estimate = ConfusionCounts.from_predictions(truth, (truth + wrong) % 3).balanced_accuracy()
        covered += estimate.interval[0] <= recalls.mean() <= estimate.interval[1]
    assert 0.93 < covered / 1000 < 0.98


def test_nothing_counted_is_not_a_number_and_null_in_json():
    empty = ConfusionCounts.pooled([])
    for estimate in (empty.accuracy(), empty.balanced_accuracy()):
        assert math.isnan(estimate.value)
        assert estimate.interval == (0, 1)
        assert estimate.as_json()["value"] is None
    assert counts([(1, 1)]).accuracy().as_json()["value"] == 1
