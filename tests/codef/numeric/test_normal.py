"""The normal law in both tails, against 50 digits."""

import mpmath
import numpy as np
import pytest

from collude.codef.numeric.normal import grid, mills_ratio, upper_tail

mpmath.mp.dps = 50


@pytest.mark.parametrize("x", [-36.0, -5.0, 0.0, 1.0, 10.0, 24.9, 25.1, 60.0, 1e4])
def test_mills_ratio(x: float) -> None:
    exact = mpmath.ncdf(-mpmath.mpf(x)) / mpmath.npdf(mpmath.mpf(x))
    assert mills_ratio(x) == pytest.approx(float(exact), rel=1e-12)


def test_the_upper_tail_is_relative_where_it_is_tiny() -> None:
    x = np.array([-8.0, 0.0, 3.0, 37.0])
    exact = [float(mpmath.ncdf(-mpmath.mpf(value))) for value in x]
    assert upper_tail(x) == pytest.approx(exact, rel=1e-13)


def test_the_grid_integrates_moments() -> None:
    nodes, weights = grid(12.0, 400)
    assert [float(weights @ nodes**m) for m in range(0, 9, 2)] == pytest.approx([1, 1, 3, 15, 105])
