"""The identification game with a strategy, without messages: who is named how often."""

import numpy as np

from collude.attacker.releases.channels import DiscreteGaussian, RandomisedResponse
from collude.attacker.releases.game import Game
from collude.attacker.releases.knowledge import Knowledge

MOST_Z = 4.5
"""Standard errors; a right formula is farther off once in 150,000 times."""


def named(count):
    return tuple(f"participant-{i}" for i in range(count))


def drawn(shape, channel, rng, kind="plain"):
    """Persons with fair bits: what is known, and the bits at the silos (n, K, m)."""
    bits = rng.integers(0, 2, shape, dtype=np.int8)
    known = bits[:, 0::2] ^ bits[:, 1::2] if kind == "xor" else bits
    return Knowledge(named(shape[1]), kind, known, channel), bits


def noisy(bits, levels, channel, rng):
    """Answers to bits, of numpy's own randomness; by the definition of the channel."""
    if isinstance(channel, RandomisedResponse):
        flip = 1 / (1 + np.exp(np.array(channel.epsilons)[levels]))
        return bits ^ (rng.random(bits.shape) < flip)
    assert isinstance(channel, DiscreteGaussian)
    noise = rng.standard_normal(bits.shape) * np.array(channel.sigmas)[levels]
    return np.rint((bits + noise) / channel.grid).astype(np.int64)


def play(game, strategy, rng, *, answers, level_of=lambda count: 0):
    """Let a strategy ask until every handle has so many answers; return view and truth.

    Args:
        game: knowledge and bits, as `drawn`.
        strategy: asks.
        rng: of everything.
        answers: about each handle; after these all is withheld.
        level_of: number of the answer about its handle -> level.
    """
    knowledge, bits = game
    n, silos, _ = knowledge.shape
    truth = rng.permutation(n)
    handles = tuple(i.to_bytes(16, "big") for i in range(n))
    table = Game(knowledge, handles, rng)
    given = np.zeros(n, dtype=np.int64)
    epochs = [0] * silos
    while True:
        questions = table.choose(strategy, range(silos), epochs)
        order = np.arange(len(questions))
        rank = _rank(questions.handle) + given[questions.handle]
        told = order[rank < answers]
        asked = questions.handle[told], questions.silo[told], questions.attribute[told]
        levels = np.array([level_of(r) for r in rank[told].tolist()], dtype=np.int64)
        true = bits[truth[asked[0]], asked[1], asked[2]].astype(np.int64)
        values = noisy(true, levels, knowledge.channel, rng)
        table.answer(told, values.astype(np.int64), levels)
        np.add.at(given, asked[0], 1)
        table.close_round(epochs)
        if questions.last or not len(questions):
            return table.view, truth


def _rank(handles):
    """How many earlier ones are of the same handle."""
    order = np.argsort(handles, kind="stable")
    starts = np.flatnonzero(np.diff(handles[order], prepend=-1))
    counts = np.diff(np.append(starts, len(handles)))
    rank = np.empty(len(handles), dtype=np.int64)
    rank[order] = np.arange(len(handles)) - np.repeat(starts, counts)
    return rank


def rate_of(posterior, truth):
    """How often the truth is named, ties by lot: written out, handle by handle."""
    total = 0.0
    for row, person in zip(posterior, truth.tolist(), strict=True):
        best = [i for i, value in enumerate(row) if value >= max(row) * (1 - 1e-9)]
        total += (person in best) / len(best)
    return total / len(truth)


def far_off(rates, expected):
    """How many standard errors the mean of independent runs is above what is expected."""
    rates = np.asarray(rates)
    return (rates.mean() - expected) / (rates.std(ddof=1) / np.sqrt(len(rates)))
