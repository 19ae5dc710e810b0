"""64 attributes a word: the game with yes/no answers, every trial with people of its own."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

WORD = 64
AT_ONCE = 2**15
"""Persons of one batch: a word of each stays in the cache."""
SAME = 1e-9
_ONES_IN_BYTE = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)


def identified(
    persons: int, schedule: Sequence[tuple[float, int]], trials: int, rng: np.random.Generator
) -> int:
    """Return in how many of `trials` games the attacker names the target.

    Every game draws fair attributes for each person and silo, and a target; each answer is the
    target's attribute, flipped with probability 1/(1 + e^epsilon). The attacker names the person
    with the highest likelihood, ties by lot.

    Args:
        persons: n, 2 or more.
        schedule: (epsilon, count) of the answers.
        trials: games.
        rng: of everything.
    """
    batch = max(1, AT_ONCE // persons)
    sizes = [min(batch, trials - start) for start in range(0, trials, batch)]
    return sum(_batch(persons, schedule, games, rng) for games in sizes)


def _batch(
    persons: int, schedule: Sequence[tuple[float, int]], games: int, rng: np.random.Generator
) -> int:
    target = rng.integers(persons, size=games)
    if len(schedule) == 1:  # the number of contradicted answers is enough, and exact
        return won_by_lot(_contradicted(target, persons, *schedule[0], rng), target, rng)
    cost = sum(e * _contradicted(target, persons, e, count, rng) for e, count in schedule)
    return won_by_lot(cost, target, rng)


def _contradicted(
    target: NDArray[np.int64], persons: int, epsilon: float, count: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Return how many of `count` answers contradict each person's attributes, (games, persons)."""
    games = np.arange(len(target))
    apart = np.zeros((len(target), persons), dtype=np.int32)
    for noise, mask in zip(
        flips(rng, len(target), count, epsilon).T, word_mask(count), strict=True
    ):
        people = rng.integers(0, 2**64, size=apart.shape, dtype=np.uint64)
        answers = people[games, target] ^ noise
        people ^= answers[:, None]
        if mask != np.uint64(2**64 - 1):
            people &= mask
        apart += ones(people)
    return apart


def won_by_lot(cost: Any, target: NDArray[np.int64], rng: np.random.Generator) -> int:
    """Return how often the target has the lowest cost; who ties is named by lot.

    Args:
        cost: (games, persons), lower is likelier.
        target: (games,).
        rng: draws the lots.
    """
    own = np.take_along_axis(cost, target[:, None], axis=1)
    slack = SAME if np.issubdtype(cost.dtype, np.floating) else 0
    better = (cost < own - slack).any(axis=1)
    ties = np.count_nonzero(cost <= own + slack, axis=1)
    return int(np.count_nonzero(~better & (rng.random(len(target)) * ties < 1)))


def flips(rng: np.random.Generator, games: int, count: int, epsilon: float) -> Words:
    """Return the noise of `count` answers in each game, 64 a word: (games, words)."""
    flipped = rng.random((games, count)) < 1 / (1 + np.exp(epsilon))
    padded = np.zeros((games, -(-count // WORD) * WORD), dtype=bool)
    padded[:, :count] = flipped
    return np.packbits(padded, axis=1).view(np.uint64)


def word_mask(count: int) -> Words:
    """Return the words in which `count` bits are 1, where `flips` puts them."""
    bits = np.zeros(-(-count // WORD) * WORD, dtype=bool)
    bits[:count] = True
    return np.packbits(bits).view(np.uint64)


def ones(words: Words) -> NDArray[np.uint8]:
    """Return the number of bits that are 1 in each word."""
    if hasattr(np, "bitwise_count"):  # numpy 2
        return np.bitwise_count(words)
    bytewise = _ONES_IN_BYTE[words.view(np.uint8)].reshape(*words.shape, 8)
    counts: NDArray[np.uint8] = bytewise.sum(axis=-1, dtype=np.uint8)
    return counts
