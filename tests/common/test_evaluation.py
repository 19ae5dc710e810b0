"""Counts, accuracies and intervals, each against another derivation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from scipy.stats import sem as scipy_standard_error
from scipy.stats import t as student
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from collude.common.errors import DataInvalid
from collude.common.evaluation import MOST_REPEATS, T_95, ConfusionCounts, wilson_interval

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


def covered(recalls, rows, *, runs=4000, seed=5):
    """How often the interval holds the mean recall, for classes of these recalls and sizes."""
    rng, within = np.random.default_rng(seed), 0
    sizes = np.array(rows)
    for _ in range(runs):
        right = rng.binomial(sizes, recalls)
        table = np.diag(right) + np.roll(np.diag(sizes - right), 1, axis=1)
        lower, upper = (
            ConfusionCounts(np.arange(len(rows)), table[None]).balanced_accuracy().interval
        )
        within += lower <= np.mean(recalls) <= upper
    return within / runs


@pytest.mark.parametrize(
    ("recalls", "rows"),
    [
        ([0.95, 0.7, 0.85], [40, 60, 25]),
        ([0.5, 0.5], [20, 20]),
        ([0.9, 0.6], [15, 300]),
        ([0.85, 0.85], [500, 500]),
        ([0.8] * 10, [12] * 10),
        ([0.9] * 10, [45] * 10),
    ],
)
def test_the_balanced_interval_covers_at_the_promised_rate(recalls, rows):
    # The simulation's own standard error is .004; exactly, the lowest of these is .919.
    assert 0.91 < covered(recalls, rows) < 0.98


@pytest.mark.parametrize(
    ("recalls", "rows"),
    [([0.99, 0.98], [30, 30]), ([1.0, 0.5], [10, 10]), ([0.98] * 10, [45] * 10)],
)
def test_near_the_limits_it_covers_rather_too_often(recalls, rows):
    assert covered(recalls, rows) > 0.93


def test_the_counts_of_participants_pooled_cover_as_those_of_one():
    """Pooled counts are those of one large participant only if the recalls are alike."""
    rng, within, recalls = np.random.default_rng(8), 0, np.array([0.9, 0.7])
    for _ in range(1000):
        parts = []
        for sizes in ([30, 10], [12, 44], [25, 25]):
            right = rng.binomial(sizes, recalls)
            table = np.diag(right) + np.diag(np.array(sizes) - right)[:, ::-1]
            parts.append(ConfusionCounts(np.arange(2), table[None]))
        lower, upper = ConfusionCounts.pooled(parts).balanced_accuracy().interval
        within += lower <= recalls.mean() <= upper
    assert 0.93 < within / 1000 < 0.975


def test_nothing_counted_is_not_a_number_and_null_in_json():
    empty = ConfusionCounts.pooled([])
    for estimate in (empty.accuracy(), empty.balanced_accuracy()):
        assert math.isnan(estimate.value)
        assert estimate.interval == (0, 1)
        assert estimate.as_json()["value"] is None
    assert counts([(1, 1)]).accuracy().as_json()["value"] == 1


# --- several training seeds ------------------------------------------------------------------

seeded = st.integers(1, 4).flatmap(
    lambda repeats: st.lists(
        st.tuples(st.integers(-2, 4), *[st.integers(-2, 4)] * repeats), min_size=1, max_size=30
    )
)


def seeded_counts(rows):
    truth, *predicted = zip(*rows, strict=True)
    return ConfusionCounts.from_predictions(truth, predicted)


def test_parts_of_other_numbers_of_seeds_are_not_pooled():
    with pytest.raises(ValueError, match="cannot be pooled"):
        ConfusionCounts.pooled([seeded_counts([(0, 1)]), seeded_counts([(0, 1, 1)])])


@pytest.mark.parametrize(
    ("classes", "stacked", "repeats", "message"),
    [
        ([0, 1], [[1, 0], [0, 1]], 2, "shape"),
        ([0, 1], [[1, 0], [0, 1], [1, 0], [0, 1]], 1, "shape"),
        ([0, 1], [[1, 0], [0, 1], [1, 0]], 1, "shape"),
        ([0], [[1, 0]], 1, "shape"),
        ([1, 0], [[1, 0], [0, 1]], 1, "increase"),
        ([1, 1], [[1, 0], [0, 1]], 1, "increase"),
        ([2**63 - 1, -(2**63)], [[1, 0], [0, 1]], 1, "increase"),
        ([0, 1], [[1, -1], [0, 1]], 1, "negative"),
        ([0, 1], [[1, 0], [0, 1], [1, 0], [0, 2]], 2, "same rows"),
        ([0, 1], [[1, 0], [0, 1], [0, 0], [1, 1]], 2, "same rows"),
    ],
)
def test_stacked_counts_that_do_not_fit_are_refused(classes, stacked, repeats, message):
    with pytest.raises(ValueError, match=message):
        ConfusionCounts.from_stacked(np.array(classes), np.array(stacked), repeats)


@given(seeded)
def test_stacked_counts_come_back(rows):
    ours = seeded_counts(rows)
    back = ConfusionCounts.from_stacked(ours.classes, ours.stacked(), ours.repeats)
    assert (back.counts == ours.counts).all()
    assert back.stacked().ndim == 2


def test_no_rows_under_several_seeds_are_stacked_too():
    empty = ConfusionCounts.from_predictions([], np.zeros((3, 0), dtype=int))
    back = ConfusionCounts.from_stacked(empty.classes, empty.stacked(), 3)
    pooled = ConfusionCounts.pooled([back, seeded_counts([(0, 1, 1, 0)])])
    assert pooled.repeats == 3
    assert pooled.total == 1


@given(seeded)
def test_each_seed_is_counted_as_if_it_were_alone(rows):
    truth, *predicted = zip(*rows, strict=True)
    together = seeded_counts(rows)
    alone = [ConfusionCounts.from_predictions(truth, each) for each in predicted]
    for figure in ("accuracy", "balanced_accuracy"):
        ours = getattr(together, figure)()
        values = [getattr(each, figure)().value for each in alone]
        assert ours.by_seed == pytest.approx(values)
        assert ours.value == pytest.approx(np.mean(values))
        assert ours.count == len(rows)
        assert 0 <= ours.interval[0] <= ours.value <= ours.interval[1] <= 1


def test_student_quantiles_equal_scipy():
    assert len(T_95) == MOST_REPEATS - 1
    assert pytest.approx(T_95, abs=1e-6) == student.ppf(0.975, np.arange(1, MOST_REPEATS))


def test_seeds_that_agree_add_nothing_and_seeds_that_differ_widen():
    alone = seeded_counts([(0, 0)] * 30 + [(1, 0)] * 10)
    agreeing = seeded_counts([(0, 0, 0, 0)] * 30 + [(1, 0, 0, 0)] * 10)
    differing = seeded_counts([(0, 0, 0, 0)] * 25 + [(0, 1, 0, 0)] * 5 + [(1, 0, 0, 1)] * 10)
    for figure in ("accuracy", "balanced_accuracy"):
        single = getattr(alone, figure)().interval
        assert getattr(agreeing, figure)().interval == pytest.approx(single)
        lower, upper = getattr(differing, figure)().interval
        assert upper - lower > 1.2 * (single[1] - single[0])


def test_the_distances_from_rows_and_seeds_add_as_squares():
    wrong = np.array([3, 5, 10])  # of 40, under each of three seeds
    truth = np.zeros(40, dtype=int)
    found = ConfusionCounts.from_predictions(truth, np.arange(40) < wrong[:, None]).accuracy()
    of_seeds = student.interval(0.95, 2, 0.85, scipy_standard_error(1 - wrong / 40))
    of_rows = binomtest(34, 40).proportion_ci(method="wilson")
    assert found.value == pytest.approx(0.85)
    lower = 0.85 - math.hypot(0.85 - of_rows.low, 0.85 - of_seeds[0])
    upper = 0.85 + math.hypot(of_rows.high - 0.85, of_seeds[1] - 0.85)
    assert found.interval == pytest.approx((lower, min(1.0, upper)), abs=1e-6)


def test_the_interval_over_rows_and_seeds_covers():
    """Each seed makes a model of another recall; what is estimated is their mean."""
    rng, within, runs = np.random.default_rng(9), 0, 600
    for _ in range(runs):
        recalls = np.clip(0.8 + 0.05 * rng.standard_normal((5, 1)), 0, 1)
        difficulty = rng.random(200)  # of a row: the same under every seed
        right = difficulty < recalls
        truth = np.arange(200) % 2
        found = ConfusionCounts.from_predictions(truth, np.where(right, truth, 1 - truth))
        lower, upper = found.balanced_accuracy().interval
        within += lower <= 0.8 <= upper
    assert 0.93 < within / runs <= 1.0
