"""Covariances with few rows, against scikit-learn's implementation of the same estimator."""

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf as reference

from collude.common.geometry.covariance import covariance, ledoit_wolf


@pytest.mark.parametrize(("n", "d"), [(5, 12), (40, 12), (400, 3), (2, 2)])
def test_the_shrinkage_is_that_of_another_implementation(n, d):
    rows = np.random.default_rng(n).standard_normal((n, d)) * np.linspace(0.5, 3.0, d) + 7.0
    assert np.allclose(ledoit_wolf(rows), reference(rows)[0], rtol=1e-10, atol=1e-12)


def test_few_rows_give_a_covariance_that_can_be_inverted():
    rows = np.random.default_rng(1).standard_normal((4, 30))
    assert np.linalg.eigvalsh(ledoit_wolf(rows)).min() > 0.0
    assert np.linalg.matrix_rank(covariance(rows)) == 3


def test_rows_that_are_all_alike_have_none():
    assert not ledoit_wolf(np.ones((6, 3))).any()
