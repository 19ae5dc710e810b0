"""The game with Gaussian answers: one matrix product of float32 a batch."""

import numpy as np

AT_ONCE = 2**22
"""Attributes of one batch."""


def identified_gaussian(
    persons: int, ratio: float, count: int, trials: int, rng: np.random.Generator
) -> int:
    """Return in how many of `trials` games the attacker names the target.

    Every game has people of its own; an answer is the target's attribute, +1 or -1, times half of
    `ratio`, plus standard normal noise. The attacker names the person whose attributes agree best.

    Args:
        persons: n.
        ratio: sensitivity/sigma.
        count: k, answers.
        trials: games.
        rng: of everything.
    """
    batch = max(1, AT_ONCE // (persons * count))
    sizes = [min(batch, trials - start) for start in range(0, trials, batch)]
    return sum(_batch(persons, ratio, count, games, rng) for games in sizes)


def _batch(persons: int, ratio: float, count: int, games: int, rng: np.random.Generator) -> int:
    raw = np.frombuffer(rng.bytes(games * persons * -(-count // 8)), dtype=np.uint8)
    bits = np.unpackbits(raw.reshape(games, persons, -1), axis=2, count=count)
    every, target = np.arange(games), rng.integers(persons, size=games)
    own = 2 * bits[every, target].astype(np.float32) - 1
    answers = np.float32(ratio / 2) * own + rng.standard_normal(own.shape, dtype=np.float32)
    score = np.matmul(bits.astype(np.float32), answers[:, :, None])[:, :, 0]
    # People with the same attributes tie; the first is named, and the target stands anywhere.
    return int(np.count_nonzero(score.argmax(axis=1) == target))
