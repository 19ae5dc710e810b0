"""Resizing against Pillow, which resizes pictures for most of the world."""

import numpy as np
import pytest

from collude.attacker.auditor.resize import resized

PIXELS = np.random.default_rng(0).random((2, 8, 6))


@pytest.mark.parametrize("size", [(8, 6), (16, 12), (11, 9), (112, 112)])
def test_enlarging_is_that_of_pillow(size):
    image = pytest.importorskip("PIL.Image")
    height, width = size
    for ours, picture in zip(resized(PIXELS, size), PIXELS, strict=True):
        theirs = image.fromarray(picture.astype(np.float32)).resize((width, height), 2)  # bilinear
        assert np.abs(ours - np.asarray(theirs)).max() < 1e-6


def test_a_flat_picture_stays_flat_and_the_same_size_changes_nothing():
    assert np.allclose(resized(np.full((1, 5, 4), 0.3), (9, 13)), 0.3)
    assert np.allclose(resized(PIXELS, (8, 6)), PIXELS)
    assert np.allclose(resized(np.full((1, 1, 1), 0.3), (3, 2)), 0.3)
