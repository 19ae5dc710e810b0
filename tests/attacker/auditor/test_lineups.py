"""Line-ups hold the own reference and different others, every set as often as another."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chisquare

from collude.attacker.auditor.lineups import _distinct, gallery_hits, lineup_hits, own_columns


def drawn(count, size, lineups=1, seed=0):
    return _distinct(np.array(count)[:, None], size, lineups, np.random.default_rng(seed))


@pytest.mark.parametrize(("count", "size"), [(5, 3), (5, 4), (6, 1), (4, 2)])
def test_every_set_is_drawn_equally_often(count, size):
    sets = drawn([count], size, lineups=6000)[0]
    seen = Counter(tuple(sorted(row)) for row in sets.tolist())
    assert set(seen) == set(combinations(range(count), size))
    assert chisquare(list(seen.values())).pvalue > 0.001


def test_each_row_has_its_own_number_to_draw_from():
    sets = drawn([3, 9], 3, lineups=500)
    assert sets[0].max() == 2
    assert sets[1].max() == 8
    assert all(len(set(row)) == 3 for row in sets.reshape(-1, 3).tolist())


def test_no_line_up_holds_a_second_picture_of_the_own_person():
    """Own columns are the most alike but one: with a second one in a line-up they would tie."""
    own = np.array([[0, 2], [2, 4], [4, 6], [6, 8]])
    similarity = np.where(own_columns(own, 8), 1.0, 0.0)
    hits = lineup_hits(similarity, own, np.random.default_rng(0), ways=7, lineups=200)
    assert (hits == 1.0).all()
    shared = lineup_hits(np.ones((4, 8)), own, np.random.default_rng(0), ways=7, lineups=3)
    assert shared == pytest.approx(1 / 7)


def test_a_full_line_up_is_the_gallery():
    similarity = np.random.default_rng(1).standard_normal((6, 6))
    own = np.stack([np.arange(6), np.arange(6) + 1], axis=1)
    hits = lineup_hits(similarity, own, np.random.default_rng(2), ways=6, lineups=3)
    assert (hits == gallery_hits(similarity, own)).all()
    assert (hits == (similarity.argmax(axis=1) == np.arange(6))).all()


def test_ties_in_the_gallery_share():
    own = np.array([[0, 1], [0, 1], [2, 3]])
    similarity = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
    assert gallery_hits(similarity, own) == pytest.approx([1 / 2, 0, 1 / 3])
