"""Discriminants against the generalised eigenproblem that defines them."""

import numpy as np
import pytest
from scipy.linalg import eigh, subspace_angles

from collude.attacker.auditor.lda import Scatter

D, PEOPLE, EACH = 7, 5, 9


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(5)
    ids = np.repeat([3, 1, 10, 4, 5], EACH)
    centres = dict(zip(np.unique(ids), 2.0 * rng.standard_normal((PEOPLE, D)), strict=True))
    spread = rng.standard_normal((D, D))
    rows = np.stack([centres[i] for i in ids]) + rng.standard_normal((len(ids), D)) @ spread
    return rows, ids


def by_definition(rows, ids, shrinkage):
    within, between = np.zeros((D, D)), np.zeros((D, D))
    for person in np.unique(ids):
        own = rows[ids == person]
        within += (own - own.mean(axis=0)).T @ (own - own.mean(axis=0)) / len(rows)
        away = own.mean(axis=0) - rows.mean(axis=0)
        between += np.outer(away, away)
    within = (1 - shrinkage) * within + shrinkage * np.trace(within) / D * np.eye(D)
    return within, eigh(between, within)[1][:, ::-1]


@pytest.mark.parametrize("shrinkage", [1e-6, 0.3, 1.0])
@pytest.mark.parametrize("dimensions", [1, 2, PEOPLE - 1])
def test_they_solve_the_generalised_eigenproblem(labelled, shrinkage, dimensions):
    scatter = Scatter.of(*labelled)
    axes = scatter.discriminants(shrinkage, dimensions)
    within, expected = by_definition(*labelled, shrinkage)
    assert axes.shape == (D, dimensions)
    assert np.abs(subspace_angles(axes, expected[:, :dimensions])).max() < 1e-6
    assert np.allclose(axes.T @ within @ axes, np.eye(dimensions), atol=1e-8)


def test_the_mean_and_centres_are_those_of_the_rows(labelled):
    rows, ids = labelled
    scatter = Scatter.of(rows, ids)
    assert np.allclose(scatter.mean, rows.mean(axis=0))
    assert np.allclose(scatter.centres[0], rows[ids == 1].mean(axis=0) - rows.mean(axis=0))


def test_people_without_any_scatter_still_have_discriminants():
    rows = np.repeat(np.eye(3), 2, axis=0)
    axes = Scatter.of(rows, np.repeat([0, 1, 2], 2)).discriminants(0.5, 2)
    assert np.isfinite(axes).all()
