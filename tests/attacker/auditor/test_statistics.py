"""Separation against another implementation; the interval against what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from collude.attacker.auditor.statistics import auc, identity_interval

values = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=30).map(np.array)


@given(genuine=values, impostor=values)
def test_auc_is_the_rank_statistic_of_mann_and_whitney(genuine, impostor):
    expected = mannwhitneyu(genuine, impostor).statistic / (len(genuine) * len(impostor))
    assert auc(genuine, impostor) == pytest.approx(expected)


def coverage(people, mean, concentration, repeats=120):
    """Return how often the interval holds the mean of a population of people."""
    draw, within = np.random.default_rng(people), 0
    for _ in range(repeats):
        rates = draw.beta(mean * concentration, (1 - mean) * concentration, people)
        ids = np.repeat(np.arange(people), 6)
        hits = draw.binomial(10, rates[ids]) / 10
        low, high = identity_interval(hits, ids, draw)
        within += low <= mean <= high
    return within / repeats


@pytest.mark.parametrize(
    ("people", "mean", "concentration"),
    [(5, 0.5, 1), (5, 0.95, 1), (15, 0.1, 1), (15, 0.8, 4), (15, 0.95, 1), (40, 0.5, 1)],
)
def test_the_interval_holds_the_mean_of_the_population(people, mean, concentration):
    assert coverage(people, mean, concentration) >= 0.91


def test_more_people_make_it_narrower_and_more_pictures_of_the_same_do_not():
    def width(people, pictures):
        rates = np.linspace(0.0, 1.0, people)
        ids = np.repeat(np.arange(people), pictures)
        low, high = identity_interval(rates[ids], ids, np.random.default_rng(0))
        return high - low

    assert width(100, 5) < 0.6 * width(25, 5)
    assert width(25, 50) == pytest.approx(width(25, 5), rel=0.05)


def test_people_with_more_pictures_weigh_more_as_in_the_mean():
    ids = np.array([0] * 90 + [1] * 10)
    hits = (ids == 0).astype(float)
    low, high = identity_interval(hits, ids, np.random.default_rng(0))
    assert low <= hits.mean() == 0.9 <= high


def test_one_person_shows_next_to_nothing():
    low, high = identity_interval(np.ones(50), np.zeros(50, dtype=int), np.random.default_rng(0))
    assert low <= 0.5
    assert high == 1.0
