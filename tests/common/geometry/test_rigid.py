"""The secret transform: what it refuses, what it computes, what it hides."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.common.geometry import RigidTransform, random_rigid_transform


@pytest.mark.parametrize(
    ("rotation", "translation"),
    [
        (np.eye(3), np.zeros(2)),
        (np.eye(3)[:2], np.zeros(3)),
        (np.eye(3), np.zeros((3, 1))),
        (np.zeros((0, 0)), np.zeros(0)),
        (2 * np.eye(3), np.zeros(3)),
        (np.full((3, 3), np.nan), np.zeros(3)),
        (np.eye(3), np.array([0, np.inf, 0])),
    ],
)
def test_what_is_no_rigid_transform_is_refused(rotation, translation):
    with pytest.raises(ValueError, match=r"rigid transform|do not fit"):
        RigidTransform(rotation, translation)


@pytest.mark.parametrize("rows", [np.zeros((2, 4)), np.zeros(3), np.zeros((1, 2, 3))])
def test_rows_of_another_width_are_refused(rows):
    secret = random_rigid_transform(3, np.random.default_rng(0))
    for map_ in (secret.apply, secret.invert):
        with pytest.raises(ValueError, match="rows of width 3"):
            map_(rows)


@given(d=st.integers(1, 12), n=st.integers(0, 9), seed=st.integers(0, 2**32 - 1))
def test_inversion_undoes_application_and_distances_stay(d, n, seed):
    rng = np.random.default_rng(seed)
    secret, S = random_rigid_transform(d, rng), rng.standard_normal((n, d))
    Y = secret.apply(S)
    np.testing.assert_allclose(secret.invert(Y), S, atol=1e-12)
    distances = np.linalg.norm(S[:, None] - S[None], axis=2)
    np.testing.assert_allclose(np.linalg.norm(Y[:, None] - Y[None], axis=2), distances, atol=1e-12)


def test_rows_map_by_the_row_vector_convention():
    quarter_turn = RigidTransform(np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([10.0, 20.0]))
    np.testing.assert_array_equal(quarter_turn.apply(np.array([[1.0, 0.0]])), [[10.0, 21.0]])


def test_the_scale_of_the_translation_is_that_asked_for():
    rng = np.random.default_rng(1)
    translations = [
        random_rigid_transform(50, rng, translation_scale=3.0).translation for _ in range(40)
    ]
    assert np.std(translations) == pytest.approx(3.0, rel=0.05)


def test_content_is_in_no_text_no_pickle_and_no_copy():
    secret = random_rigid_transform(4, np.random.default_rng(2))
    for text in (repr(secret), str(secret), f"{secret}"):
        assert text == "RigidTransform(dimension=4)"
    for leak in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled"):
            leak(secret)


def test_it_cannot_be_changed_from_outside():
    rotation, translation = np.eye(2), np.zeros(2)
    secret = RigidTransform(rotation, translation)
    rotation[0, 0] = translation[0] = 7
    np.testing.assert_array_equal(secret.apply(np.array([[1.0, 2.0]])), [[1.0, 2.0]])
    with pytest.raises(ValueError, match="read-only"):
        secret.rotation[0, 0] = 7
    with pytest.raises(FrozenInstanceError):
        secret.rotation = np.eye(2)
