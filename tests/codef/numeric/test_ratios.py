"""A grid of log-ratios keeps both totals, and only ever helps to tell the hypotheses apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.numeric.ratios import LEVELS, RatioLaw, sum_of
from collude.codef.risk.sphere_packing import best_test


def power(law: RatioLaw, level: float) -> float:
    return best_test(law.mass[::-1], law.ratio[::-1], level)


@given(
    st.lists(st.floats(0.01, 1), min_size=2, max_size=12),
    st.floats(0.11, 3),
    st.floats(0.01, 0.9),
)
def test_a_coarser_grid_keeps_both_masses_and_loses_no_power(masses, step, level) -> None:
    mass = np.array(masses) / sum(masses)
    law = RatioLaw(-3, 0.1, mass)
    coarse = law.coarser(step)
    assert coarse.mass.sum() == pytest.approx(1)
    assert coarse.mass @ np.exp(-coarse.ratio) == pytest.approx(mass @ np.exp(-law.ratio))
    assert power(coarse, level) >= power(law, level) - 1e-12


@pytest.mark.parametrize("terms", [1, 2, 7, 256, 257, 600])
def test_a_sum_is_the_repeated_convolution(terms: int) -> None:
    mass = np.array([0.2, 0.5, 0.3])
    ratio = np.array([-0.1, 0.0, 0.1])

    def one(step: float) -> RatioLaw:
        return RatioLaw(-1, 0.1, mass).coarser(step)

    found = sum_of(one, terms, lambda count: (-0.1 * count - 1, 0.1 * count + 1))
    mean, variance = mass @ ratio, mass @ ratio**2 - (mass @ ratio) ** 2
    assert len(found.mass) == LEVELS
    assert found.mass.sum() == pytest.approx(1)
    assert found.mass @ found.ratio == pytest.approx(terms * mean, rel=1e-3)
    spread = found.mass @ found.ratio**2 - (found.mass @ found.ratio) ** 2
    assert spread == pytest.approx(terms * variance, rel=1e-3)
