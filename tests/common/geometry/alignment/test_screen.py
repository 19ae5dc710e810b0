"""The screen: what it must never drop, what it must, and what it says of it."""

from collections import Counter

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes

from collude.common.errors import UploadRejected
from collude.common.geometry import centered_orthonormal_anchor, haar_orthogonal
from collude.common.geometry.alignment import screen_anchors
from collude.common.geometry.alignment.screen import MOST_PARTNERS, SAME, _look, _pairs

R, D, P = 48, 12, 8
NAMES = tuple(f"participant-{i}" for i in range(P))


@pytest.fixture
def uploads(federate):
    return federate(R, D, P, s=0.3).uploads


def _found(uploads, names=None):
    return {drop.index: drop.test for drop in screen_anchors(uploads, names).dropped}


def _garbage(like, seed=99):
    noise = np.random.default_rng(seed).standard_normal(like.shape)
    return noise * np.linalg.norm(like - like.mean(axis=0)) / np.linalg.norm(noise)


def test_a_bad_anchor_is_refused_by_name_and_no_anchor_is_an_error_of_the_caller(uploads):
    uploads[3][0, 0] = np.nan
    with pytest.raises(UploadRejected) as caught:
        screen_anchors(uploads, NAMES)
    assert caught.value.party == "participant-3"
    with pytest.raises(ValueError, match="at least one"):
        screen_anchors([])
    with pytest.raises(ValueError, match="names"):
        screen_anchors(uploads, NAMES[1:])


@pytest.mark.parametrize("p", range(2, 11))
@pytest.mark.parametrize(("r", "d"), [(4, 3), (9, 8), (32, 8), (21, 20), (80, 20)])
def test_nobody_honest_is_ever_dropped(federate, r, d, p):
    for s in (0.0, 0.05, 0.3, 0.6, 0.9, 1.2, 1.5):
        for seed in range(4):
            uploads = federate(r, d, p, s=s, seed=seed).uploads
            assert screen_anchors(uploads).dropped == (), (s, seed)


@pytest.mark.parametrize("s", [0.0, 0.4, 1.0])
def test_two_levels_of_noise_among_honest_participants_drop_nobody(federate, s):
    federation, rng = federate(65, 64, 6), np.random.default_rng(3)
    levels = [s, s, s, s + 0.4, s + 0.4, s + 0.4]
    noise = [level / 8 * rng.standard_normal((65, 64)) for level in levels]
    uploads = [B + W for B, W in zip(federation.uploads, noise, strict=True)]
    assert screen_anchors(uploads).kept == tuple(range(6))


def test_a_huge_norm_is_named_with_its_multiple_of_the_median(uploads):
    uploads[2] = 1000.0 * uploads[2]
    (drop,) = screen_anchors(uploads, NAMES).dropped
    assert (drop.index, drop.party, drop.test, drop.twin) == (2, "participant-2", "norm", None)
    assert drop.figure == pytest.approx(1000.0, rel=0.05)
    assert 1.5 <= drop.threshold <= 2.0
    assert "far larger" in str(drop)


@pytest.mark.parametrize("scale", [1e-90, 1e-3, 0.5, 1.4])
def test_norms_that_are_small_or_hardly_larger_stay(uploads, scale):
    uploads[2] = scale * uploads[2]
    assert _found(uploads) == {}


@pytest.mark.parametrize("scale", [1e-90, 1.0, 1e90])
def test_garbage_of_any_norm_goes(uploads, scale):
    uploads[5] = scale * _garbage(uploads[0])
    assert set(_found(uploads)) == {5}


def test_the_affinity_is_one_minus_half_the_squared_procrustes_distance(uploads):
    """||X - Y Q||^2 = 2 - 2 ||X^T Y||_* for unit norms and the best Q: a second derivation."""
    uploads[5] = _garbage(uploads[0])
    (drop,) = screen_anchors(uploads).dropped
    units = [B - B.mean(axis=0) for B in uploads]
    units = [B / np.linalg.norm(B) for B in units]

    def affinity(i, j):
        Q, _ = orthogonal_procrustes(units[j], units[i])
        return 1.0 - 0.5 * np.linalg.norm(units[i] - units[j] @ Q) ** 2

    medians = [np.median([affinity(i, j) for j in range(P) if j != i]) for i in range(P)]
    assert drop.test == "affinity"
    assert drop.figure == pytest.approx(medians[5], abs=1e-12)
    deviation = np.median(np.abs(medians - np.median(medians)))
    expected = np.median(medians) - max(5.0 * deviation, 1.5 / D)
    assert drop.threshold == pytest.approx(expected, abs=1e-12)


def test_who_is_dropped_hangs_neither_on_the_coordinates_nor_on_the_order(uploads):
    rng = np.random.default_rng(7)
    uploads[1], uploads[6] = 40.0 * uploads[1], _garbage(uploads[0])
    found = {1: "norm", 6: "affinity"}
    assert _found(uploads) == found
    moved = [3.0 * B @ haar_orthogonal(D, rng) + rng.standard_normal(D) for B in uploads]
    assert _found(moved) == found
    order = rng.permutation(P)
    assert {int(order[i]): test for i, test in _found([moved[k] for k in order]).items()} == found


def test_copies_are_named_with_whose_copies_they_are(uploads):
    uploads[4], uploads[7] = uploads[1] + 5.0, uploads[1] * (1.0 + 1e-9)
    screening = screen_anchors(uploads, NAMES)
    assert screening.kept == (0, 1, 2, 3, 5, 6)
    assert [(d.party, d.test, d.twin) for d in screening.dropped] == [
        ("participant-4", "duplicate", "participant-1"),
        ("participant-7", "duplicate", "participant-1"),
    ]
    assert all(d.figure <= d.threshold == SAME for d in screening.dropped)
    assert "copy of participant-1's" in str(screening.dropped[0])


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_copies_of_garbage_vote_once(uploads, scale):
    """Five of eight would be a majority that throws the honest ones out."""
    for i in range(3, 8):
        uploads[i] = scale * _garbage(uploads[0])
    assert screen_anchors(uploads).kept == (0, 1, 2)


def test_a_multiple_of_an_upload_is_no_copy_of_it(uploads):
    uploads[4] = 1.3 * uploads[1]
    assert _found(uploads) == {}


@pytest.mark.parametrize("p", [1, 2])
def test_among_two_only_copies_are_found(federate, p):
    uploads = federate(R, D, 2, s=0.3).uploads[:p]
    assert _found([*uploads[:-1], 1000.0 * uploads[-1]]) == {}
    assert _found([*uploads[:-1], _garbage(uploads[0])]) == {}
    assert _found([uploads[0], uploads[0]]) == {1: "duplicate"}


@pytest.mark.parametrize("spoil", [lambda B: 1000.0 * B, _garbage])
def test_three_are_enough_to_find_the_odd_one(federate, spoil):
    uploads = federate(R, D, 3, s=0.3).uploads
    uploads[0] = spoil(uploads[0])
    assert set(_found(uploads)) == {0}


def test_at_width_one_equal_uploads_are_no_copies(federate):
    """O is 1 or -1 there: half of the honest pairs are equal without noise."""
    assert screen_anchors(federate(4, 1, 6).uploads).kept == tuple(range(6))


@pytest.mark.parametrize("p", [MOST_PARTNERS + 2, 3 * MOST_PARTNERS])
def test_among_many_each_is_compared_with_some_and_the_odd_ones_go(federate, p):
    uploads = federate(32, 8, p, s=0.3, seed=1).uploads
    odd = set(range(0, p, 8))
    other = centered_orthonormal_anchor(32, 8, np.random.default_rng(5))
    for i in odd:
        uploads[i] = other @ haar_orthogonal(8, np.random.default_rng(i))
    assert set(_found(uploads)) == odd


@pytest.mark.parametrize("p", [MOST_PARTNERS + 2, 50, 101])
def test_among_many_all_have_equally_many_partners_that_nobody_can_choose(federate, p):
    uploads = federate(4, 3, p, s=0.3).uploads
    pairs = {frozenset(pair) for pair in _pairs(list(_look(uploads, None)))}
    partners = Counter(i for pair in pairs for i in pair)
    assert set(partners.values()) == {MOST_PARTNERS}
    assert len(partners) == p
    uploads[0] = uploads[0] + 1e-9
    moved = {frozenset(pair) for pair in _pairs(list(_look(uploads, None)))}
    assert len(pairs & moved) < 0.99 * len(pairs)


def test_the_same_uploads_give_the_same_answer(federate):
    uploads = federate(32, 8, 50, s=0.3).uploads
    uploads[9] = _garbage(uploads[0])
    assert screen_anchors(uploads) == screen_anchors(uploads)
