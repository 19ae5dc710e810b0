"""Haar draws and polar factors."""

import numpy as np
import pytest
from scipy import linalg, stats

from collude.common.geometry import haar_orthogonal, polar_factor

SIGNIFICANCE = 1e-3


def test_a_width_below_one_is_refused():
    with pytest.raises(ValueError, match="at least one row"):
        haar_orthogonal(0, np.random.default_rng(0))


@pytest.mark.parametrize(
    "matrix", [np.zeros((2, 3)), np.zeros(3), np.full((2, 2), np.nan), np.full((2, 2), np.inf)]
)
def test_what_is_no_finite_square_matrix_has_no_polar_factor(matrix):
    with pytest.raises(ValueError, match="polar factor needs"):
        polar_factor(matrix)


@pytest.mark.parametrize("d", [1, 2, 7, 64])
def test_a_draw_is_orthogonal(d):
    draw = haar_orthogonal(d, np.random.default_rng(d))
    np.testing.assert_allclose(draw.T @ draw, np.eye(d), atol=1e-13)


def test_signs_in_two_dimensions_are_all_equally_likely():
    """LAPACK's own Q has Q_11 < 0 and determinant -1 always; four sign pairs must be alike."""
    rng = np.random.default_rng(2)
    draws = np.stack([haar_orthogonal(2, rng) for _ in range(4000)])
    pairs = 2 * (np.linalg.det(draws) > 0) + (draws[:, 0, 0] > 0)
    assert stats.chisquare(np.bincount(pairs, minlength=4)).pvalue > SIGNIFICANCE


def test_the_angle_in_two_dimensions_is_uniform():
    rng = np.random.default_rng(3)
    draws = np.stack([haar_orthogonal(2, rng) for _ in range(4000)])
    angles = np.arctan2(draws[:, 1, 0], draws[:, 0, 0]) / (2 * np.pi) + 0.5
    assert stats.kstest(angles, "uniform").pvalue > SIGNIFICANCE


def test_an_entry_in_three_dimensions_is_uniform_on_minus_one_to_one():
    """A column is a point on the sphere, and its height is uniform (Archimedes)."""
    rng = np.random.default_rng(4)
    draws = np.stack([haar_orthogonal(3, rng) for _ in range(3000)])
    for row, column in [(0, 0), (2, 2), (1, 2)]:
        heights = (draws[:, row, column] + 1) / 2
        assert stats.kstest(heights, "uniform").pvalue > SIGNIFICANCE


def test_the_trace_has_the_moments_of_the_orthogonal_group():
    """E tr = 0, E tr^2 = 1, E tr^4 = 3 for d >= 4 (Diaconis and Shahshahani)."""
    rng = np.random.default_rng(5)
    traces = np.array([np.trace(haar_orthogonal(6, rng)) for _ in range(4000)])
    assert abs(traces.mean()) < 0.06
    assert abs((traces**2).mean() - 1) < 0.09
    assert abs((traces**4).mean() - 3) < 0.6


def test_a_polar_factor_equals_scipys():
    M = np.random.default_rng(6).standard_normal((9, 9))
    np.testing.assert_allclose(polar_factor(M), linalg.polar(M)[0], atol=1e-12)


@pytest.mark.parametrize("ratio", [1.0, 3.0, 31.0, 32.0, 1e3, 1e8, 1e15])
@pytest.mark.parametrize("scale", [1e-290, 1.0, 1e290])
def test_a_polar_factor_is_exact_at_every_condition_and_scale(ratio, scale):
    """Both ways to it, on either side of the condition at which they change over."""
    rng = np.random.default_rng(11)
    left, right = haar_orthogonal(20, rng), haar_orthogonal(20, rng)
    M = scale * (left @ np.diag(np.geomspace(1 / ratio, 1, 20)) @ right)
    factor = polar_factor(M)
    np.testing.assert_allclose(factor.T @ factor, np.eye(20), atol=1e-12)
    np.testing.assert_allclose(factor, left @ right, atol=1e-15 * max(ratio, 1e3))


def test_a_polar_factor_is_the_best_orthogonal_match():
    rng = np.random.default_rng(7)
    M = rng.standard_normal((5, 5))
    best = np.trace(polar_factor(M).T @ M)
    assert all(np.trace(haar_orthogonal(5, rng).T @ M) <= best for _ in range(200))


def test_a_reflection_stays_a_reflection():
    draw = haar_orthogonal(4, np.random.default_rng(8))
    draw[:, 0] *= -np.linalg.det(draw)
    assert np.linalg.det(draw) < 0
    np.testing.assert_allclose(polar_factor(3 * draw), draw, atol=1e-13)


def test_a_singular_matrix_still_gives_an_orthogonal_factor():
    factor = polar_factor(np.zeros((3, 3)))
    np.testing.assert_allclose(factor.T @ factor, np.eye(3), atol=1e-13)
