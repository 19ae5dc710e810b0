"""A shuffler leaves the count: against the table of all pairs of counts."""

import math

import numpy as np
import pytest
import scipy.stats

from collude.codef.leakage import rr_bhattacharyya, rr_information, shuffle, shuffled_information
from collude.common.errors import ParameterInvalid


def by_table(epsilon: float, k: int) -> float:
    p, q = 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
    prior = scipy.stats.binom.pmf(np.arange(k + 1), k, 0.5)
    rows = [
        np.convolve(
            scipy.stats.binom.pmf(np.arange(c + 1), c, p),
            scipy.stats.binom.pmf(np.arange(k - c + 1), k - c, q),
        )
        for c in range(k + 1)
    ]
    joint = prior[:, None] * np.array(rows)
    there = joint > 0
    independent = prior[:, None] * joint.sum(axis=0)
    return float((joint[there] * np.log(joint[there] / independent[there])).sum())


@pytest.mark.parametrize("k", [1, 2, 7, 128, 129, 300])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_it_is_the_tables_information(epsilon: float, k: int) -> None:
    assert shuffled_information(epsilon, k) == pytest.approx(by_table(epsilon, k), rel=1e-9)


def test_it_settles_where_plain_answers_go_on() -> None:
    assert round(shuffled_information(1.0, 20), 4) == 0.1202  # the design's page says 0.1201
    assert round(shuffled_information(1.0, 400), 4) == 0.1201
    assert round(400 * rr_information(1.0), 1) == 44.4
    for epsilon in (1.0, 5.0):
        settled = rr_bhattacharyya(epsilon)
        assert shuffled_information(epsilon, 10**6) == pytest.approx(settled, rel=1e-6)


def test_one_answer_cannot_be_shuffled() -> None:
    for epsilon in (1e-6, 0.5, 30.0):
        assert shuffled_information(epsilon, 1) == pytest.approx(rr_information(epsilon), rel=1e-9)


def test_the_series_meets_the_table(monkeypatch) -> None:
    epsilon = 2 * math.atanh(0.9 * shuffle.SERIES_BELOW)
    series = [shuffled_information(epsilon, k) for k in (1, 2, 40, 500)]
    monkeypatch.setattr(shuffle, "SERIES_BELOW", 0.0)
    assert series == pytest.approx(
        [shuffled_information(epsilon, k) for k in (1, 2, 40, 500)], rel=1e-8
    )


def test_shapes_and_ends() -> None:
    assert shuffled_information(np.array([0.5, 1.0]), np.array([[1], [3]])).shape == (2, 2)
    assert shuffled_information(1.0, 0) == shuffled_information(0.0, 5) == 0
    # almost noiseless: nearly all of the count's own entropy
    count = scipy.stats.binom(10**4, 0.5).entropy()
    assert shuffled_information(50.0, 10**4) == pytest.approx(float(count), rel=1e-6)


@pytest.mark.parametrize("bad", [(-1.0, 2), (1.0, -2), (1.0, 2.5), (math.nan, 2), (1.0, math.nan)])
def test_bad_arguments_are_refused(bad) -> None:
    with pytest.raises(ParameterInvalid):
        shuffled_information(*bad)
