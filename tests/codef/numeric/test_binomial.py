"""Binomial masses against exact fractions, 50 digits and scipy."""

from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
import scipy.stats

from collude.codef.numeric.binomial import MOST_ATOMS, log_mass, reach, window

mpmath.mp.dps = 50


@pytest.mark.parametrize("k", [1, 2, 3, 15, 16, 17, 40])
@pytest.mark.parametrize("p", [0.25, 0.5, 0.001953125])
def test_small_masses_are_the_exact_fractions(k: int, p: float) -> None:
    exact = [comb(k, d) * Fraction(p) ** d * (1 - Fraction(p)) ** (k - d) for d in range(k + 1)]
    found = np.exp(log_mass(np.arange(k + 1), k, p, 1 - p))
    assert found == pytest.approx([float(mass) for mass in exact], rel=3e-14)


@pytest.mark.parametrize(("k", "p"), [(1000, 0.01), (10**6, 0.5), (10**6, 1e-5), (10**9, 0.3)])
def test_large_masses_to_many_digits(k: int, p: float) -> None:
    low, high = reach(k, p)
    for d in np.linspace(low, high, 40).astype(int).tolist():
        exact = (
            mpmath.loggamma(k + 1)
            - mpmath.loggamma(d + 1)
            - mpmath.loggamma(k - d + 1)
            + d * mpmath.log(mpmath.mpf(p))
            + (k - d) * mpmath.log1p(-mpmath.mpf(p))
        )
        assert float(log_mass(np.array(d), k, p, 1 - p)) == pytest.approx(
            float(exact), rel=1e-13, abs=1e-10
        )


def test_a_flip_of_the_smallest_probability_keeps_its_digits() -> None:
    q = float(np.exp(-50.0))
    assert log_mass(np.array([0, 1, 2]), 3, q, 1 - q) == pytest.approx(
        [-3 * q, np.log(3) - 50, np.log(3) - 100], abs=1e-15, rel=1e-14
    )


@pytest.mark.parametrize(("k", "p"), [(5, 0.3), (10**4, 0.5), (10**6, 1e-3), (10**6, 0.27)])
def test_nothing_lies_outside_the_window(k: int, p: float) -> None:
    low, high = reach(k, p)
    assert scipy.stats.binom.cdf(low - 1, k, p) < 1e-130
    assert scipy.stats.binom.sf(high, k, p) < 1e-130


@pytest.mark.parametrize("k", [10**6, 10**9, 10**12, 10**15])
def test_masses_add_up_also_in_steps(k: int) -> None:
    counts = window(*reach(k, 0.4))
    assert len(counts.starts) <= MOST_ATOMS
    assert counts.masses(k, 0.4, 0.6).sum() == pytest.approx(1, abs=1e-9)
    assert counts.step == 1 or counts.starts[-1] + counts.step > counts.high
