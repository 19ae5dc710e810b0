"""An attacker who asks, each time, the silo from which it expects to learn most."""

from collections.abc import Sequence
from typing import Any

import numpy as np

AT_ONCE = 25
"""Games played side by side, with people of their own each."""
TAKEN = np.float32(2)


def greedy_identified(
    persons: int,
    epsilon: float,
    pool: int,
    counts: Sequence[int],
    trials: int,
    rng: np.random.Generator,
) -> list[int]:
    """Return in how many of `trials` games the target is named after each of `counts` answers.

    The attacker knows all attributes. An answer tells most where the people with a 1 hold half of
    the attacker's belief; no silo is asked twice.

    Args:
        persons: n.
        epsilon: of each answer.
        pool: silos to choose from, at least the largest count.
        counts: when the attacker is asked whom it would name, ascending.
        trials: games.
        rng: of everything.
    """
    won = np.zeros(len(counts), dtype=np.int64)
    for start in range(0, trials, AT_ONCE):
        won += _batch((min(AT_ONCE, trials - start), persons, pool), epsilon, counts, rng)
    return won.tolist()


def _batch(
    shape: tuple[int, int, int], epsilon: float, counts: Sequence[int], rng: np.random.Generator
) -> Any:
    games, persons, pool = shape
    bits = rng.integers(0, 2, size=shape, dtype=np.int8)
    people = bits.astype(np.float32)
    belief = np.full((games, persons), 1 / persons, dtype=np.float32)
    asked = np.zeros((games, pool), dtype=np.float32)
    every = np.arange(games)
    right, wrong = np.float32(1 / (1 + np.exp(-epsilon))), np.float32(1 / (1 + np.exp(epsilon)))
    won = []
    for number in range(1, max(counts) + 1):
        ones = np.matmul(belief[:, None, :], people)[:, 0, :]
        silo = (np.abs(ones - np.float32(0.5)) + asked).argmin(axis=1)
        asked[every, silo] = TAKEN
        # Person 0 is the target: people are exchangeable.
        answer = bits[every, 0, silo] ^ (rng.random(games) < wrong)
        belief *= np.where(bits[every, :, silo] == answer[:, None], right, wrong)
        belief /= belief.sum(axis=1, keepdims=True)
        if number in counts:
            won.append(_named_by_lot(belief, rng))
    return np.array(won)


def _named_by_lot(belief: Any, rng: np.random.Generator) -> int:
    best = belief >= belief.max(axis=1, keepdims=True) * np.float32(1 - 1e-5)
    return int(np.count_nonzero(best[:, 0] & (rng.random(len(best)) * best.sum(axis=1) < 1)))
