"""Scores by hand, and what they refuse."""

import numpy as np
import pytest

from collude.attacker.attacks import Reconstruction
from collude.attacker.scoring import reconstruction_error

X = np.array([[3.0, 0.0], [1.0, 2.0]])
"""||X||^2 = 14; the mean row is (2, 1), ||X - 1 mean^T||^2 = 4."""


@pytest.mark.parametrize("records", [X[:1], X.T[:, :1], X.ravel()])
def test_another_shape_than_the_truth_is_refused(records):
    with pytest.raises(ValueError, match="cannot score"):
        reconstruction_error(Reconstruction(records), X)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_an_estimate_that_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match="NaN or infinity"):
        reconstruction_error(Reconstruction(np.full((2, 2), value)), X)


def test_the_ratios_are_those_computed_by_hand():
    score = reconstruction_error(Reconstruction(X + np.diag([1.0, -1.0])), X)
    assert score == {
        "relative": pytest.approx(2 / 14),
        "centred_relative": pytest.approx(2 / 4),
        "rotation": None,
    }


def test_the_mean_record_scores_one():
    guess = np.tile(X.mean(axis=0), (2, 1))
    assert reconstruction_error(Reconstruction(guess), X)["centred_relative"] == pytest.approx(1)


def test_the_rotation_error_is_squared_over_d():
    quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    score = reconstruction_error(Reconstruction(X, rotation=quarter), X, np.eye(2))
    assert score["rotation"] == pytest.approx(2.0)
    assert reconstruction_error(Reconstruction(X), X, np.eye(2))["rotation"] is None
    assert reconstruction_error(Reconstruction(X, rotation=quarter), X)["rotation"] is None


def test_a_denominator_of_zero_gives_no_figure():
    one_row = reconstruction_error(Reconstruction(X[:1] + 1), X[:1])
    assert one_row["centred_relative"] is None
    assert one_row["relative"] == pytest.approx(2 / 9)
    assert reconstruction_error(Reconstruction(X), np.zeros((2, 2)))["relative"] is None
