"""Three ways to the chance that a random subset has a negative sum."""

import itertools

import numpy as np
import pytest

from collude.codef.numeric.subsets import by_halves, by_saddlepoint, by_table


def enumerated(y: np.ndarray) -> float:
    subsets = np.array(list(itertools.product((0, 1), repeat=len(y))))
    return float((subsets @ y < 0).mean())


@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_halves_are_exact(k: int) -> None:
    y = np.random.default_rng(k).normal(0.7, 1, (20, k))
    assert by_halves(y) == pytest.approx([enumerated(row) for row in y], abs=1e-15)


@pytest.mark.parametrize("mean", [0.3, 1.0, 2.0])
def test_the_table_agrees_with_the_halves(mean: float) -> None:
    y = np.random.default_rng(1).normal(mean, 1, (300, 14))
    exact, found = by_halves(y), by_table(y)
    assert found.mean() == pytest.approx(exact.mean(), rel=0.01)
    assert np.abs(found - exact).max() < 0.02


def test_the_saddlepoint_agrees_where_numbers_are_many() -> None:
    y = np.random.default_rng(2).normal(0.4, 1, (50, 20))
    exact = by_halves(y)
    found = by_saddlepoint(y.sum(axis=1), y, np.ones(20))
    likely = exact > 1e-3
    assert likely.sum() > 20
    assert found[likely] == pytest.approx(exact[likely], rel=0.1)


def test_no_negative_number_means_no_negative_sum() -> None:
    y = np.abs(np.random.default_rng(3).normal(size=(4, 6)))
    assert by_halves(y).tolist() == by_table(y).tolist() == [0, 0, 0, 0]
