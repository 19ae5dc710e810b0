"""The games are simulated right: against the exact formulas, and against games small enough."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from collude.codef.risk import exact_error, exact_error_gaussian, exact_error_mixed, success_bound
from collude.studies.agreement import allowed, z_of_count
from collude.studies.game import bits
from collude.studies.game.best import best_success
from collude.studies.game.bits import flips, identified, ones, won_by_lot, word_mask
from collude.studies.game.greedy import greedy_identified
from collude.studies.game.real import identified_gaussian

LIMIT = allowed(50)


@pytest.mark.parametrize(
    ("n", "epsilon", "k"), [(2, 1.0, 1), (10, 0.5, 64), (100, 1.0, 65), (50, 3.0, 9), (7, 0.3, 130)]
)
def test_packed_bits_play_the_game(n: int, epsilon: float, k: int) -> None:
    won = identified(n, [(epsilon, k)], 4000, np.random.default_rng([1, n, k]))
    assert abs(z_of_count(won, 4000, 1 - exact_error(n, epsilon, k))) < LIMIT


@pytest.mark.parametrize("schedule", [[(1.0, 20), (0.5, 40)], [(2.0, 3), (0.7, 5), (1 / 3, 70)]])
def test_several_epsilons_too(schedule) -> None:
    won = identified(60, schedule, 4000, np.random.default_rng(2))
    assert abs(z_of_count(won, 4000, 1 - exact_error_mixed(60, schedule))) < LIMIT


def test_a_game_with_one_bit_less_would_be_seen() -> None:
    won = identified(100, [(1.0, 30)], 4000, np.random.default_rng(3))
    assert z_of_count(won, 4000, 1 - exact_error(100, 1.0, 36)) < -LIMIT


@pytest.mark.parametrize(("ratio", "k"), [(1.0, 30), (3.0, 4), (0.5, 100)])
def test_matrix_products_play_the_gaussian_game(ratio: float, k: int) -> None:
    won = identified_gaussian(100, ratio, k, 2000, np.random.default_rng(4))
    expected = 1 - exact_error_gaussian(100, ratio, 1.0, k)
    # The formula is exact within 0.005; the deviation of 2000 games is 0.011.
    assert abs(won / 2000 - expected) < 4 * 0.0115 + 0.005


@pytest.mark.parametrize("count", [1, 63, 64, 65, 200])
def test_words_hold_their_bits(count: int, monkeypatch) -> None:
    words = word_mask(count)
    assert int(ones(words).sum()) == count
    noise = flips(np.random.default_rng(5), 50, count, 1e-9)
    assert not (noise & ~words).any()
    with_numpy_2 = ones(noise)
    monkeypatch.delattr(np, "bitwise_count", raising=False)  # numpy 1
    np.testing.assert_array_equal(ones(noise), with_numpy_2)
    assert abs(z_of_count(int(with_numpy_2.sum()), 50 * count, 0.5)) < LIMIT


def test_ties_are_settled_by_lot() -> None:
    rng = np.random.default_rng(6)
    target = np.zeros(3000, dtype=np.int64)
    tied = np.tile([1, 1, 1, 2], (3000, 1))
    assert abs(z_of_count(won_by_lot(tied, target, rng), 3000, 1 / 3)) < LIMIT
    assert won_by_lot(np.tile([1, 2, 3], (50, 1)), np.zeros(50, dtype=np.int64), rng) == 50
    assert won_by_lot(np.tile([1, 0, 3], (50, 1)), np.zeros(50, dtype=np.int64), rng) == 0
    rounded = np.tile([0.1 + 0.2, 0.3], (3000, 1))  # equal but for rounding
    assert abs(z_of_count(won_by_lot(rounded, target, rng), 3000, 0.5)) < LIMIT


def test_batches_do_not_matter_for_the_number_of_games(monkeypatch) -> None:
    monkeypatch.setattr(bits, "AT_ONCE", 1)
    won = identified(10, [(8.0, 40)], 37, np.random.default_rng(7))
    assert won == 37  # nearly no noise: always the target


@pytest.mark.parametrize("k", [1, 3, 4, 7])
def test_the_best_attacker_of_two_persons_is_the_majority(k: int) -> None:
    """Two persons who differ in every silo: the better half of the answers decides."""
    q = 1 / (1 + math.e)
    majority = binom.cdf((k - 1) // 2, k, q) + (k % 2 == 0) * binom.pmf(k // 2, k, q) / 2
    assert best_success(2, (1.0,), lambda used: used[0] <= k) == pytest.approx(majority, abs=1e-12)


def test_the_best_attacker_beats_every_plain_one_and_keeps_the_bound() -> None:
    best = best_success(4, (1.0,), lambda used: used[0] <= 3)
    p = 1 / (1 + math.exp(-1))
    answers = np.array(list(itertools.product((0, 1), repeat=3)))
    plain = max(
        np.where(np.array(book)[:, None] == answers, p, 1 - p).prod(axis=2).max(axis=0).sum() / 4
        for book in itertools.combinations_with_replacement(itertools.product((0, 1), repeat=3), 4)
    )  # every set of four persons, all silos fixed beforehand
    assert plain <= best + 1e-12
    assert best <= success_bound(4, [(1.0, 3)]) + 1e-12


def test_a_greedy_attacker_gains_and_stays_below_the_bound() -> None:
    won = greedy_identified(60, 1.0, 200, (10, 20), 1500, np.random.default_rng(8))
    for count, hits in zip((10, 20), won, strict=True):
        assert z_of_count(hits, 1500, success_bound(60, [(1.0, count)])) < LIMIT
    assert z_of_count(won[1], 1500, 1 - exact_error(60, 1.0, 20)) > 2


def test_a_greedy_attacker_without_choice_is_the_plain_one() -> None:
    (won,) = greedy_identified(40, 1.0, 15, (15,), 2000, np.random.default_rng(9))
    assert abs(z_of_count(won, 2000, 1 - exact_error(40, 1.0, 15))) < LIMIT
