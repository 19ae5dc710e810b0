"""Line-ups: is the right person's reference the most alike among a few?"""

import numpy as np
from numpy.typing import NDArray

from collude.common.geometry.arrays import FloatArray

Indices = NDArray[np.int64]


def lineup_hits(
    similarity: FloatArray, own: Indices, rng: np.random.Generator, ways: int, lineups: int
) -> FloatArray:
    """Return (n,) the share of its line-ups that each query wins.

    A line-up holds one reference of the query's own person, and ways - 1 references drawn
    uniformly, without repetition, from all references of other people. The most alike wins;
    where t are equally alike, its own among them, the query is credited with 1 / t.

    Args:
        similarity: (n, m), of each query to each reference.
        own: (n, 2), the columns start to stop - 1 are the query's own person.
        rng: draws the line-ups.
        ways: references in a line-up, 2 to 1 + (m - largest number of own references).
        lineups: line-ups for each query.
    """
    start, stop = own[:, :1], own[:, 1:]
    mine = start + rng.integers(0, stop - start, size=(len(own), lineups))
    others = _distinct(similarity.shape[1] - (stop - start), ways - 1, lineups, rng)
    others += np.where(others < start[:, None], 0, (stop - start)[:, None])
    rows = np.arange(len(own))[:, None]
    genuine = similarity[rows, mine][..., None]
    impostors = similarity[rows[..., None], others]
    hits: FloatArray = _credit(genuine, impostors).mean(axis=1)
    return hits


def gallery_hits(similarity: FloatArray, own: Indices) -> FloatArray:
    """Return (n,) whether its own person's reference is the most alike of all; ties share."""
    best = similarity == similarity.max(axis=1, keepdims=True)
    mine = best & own_columns(own, similarity.shape[1])
    hits: FloatArray = mine.sum(axis=1) / best.sum(axis=1)
    return hits


def own_columns(own: Indices, count: int) -> NDArray[np.bool_]:
    """Return (n, count) marks of the columns that are the query's own person."""
    columns = np.arange(count)
    marks: NDArray[np.bool_] = (own[:, :1] <= columns) & (columns < own[:, 1:])
    return marks


def _credit(genuine: FloatArray, impostors: FloatArray) -> FloatArray:
    beaten = (impostors > genuine).any(axis=-1)
    alike = 1 + (impostors == genuine).sum(axis=-1)
    return np.where(beaten, 0.0, 1.0 / alike)


def _distinct(count: Indices, size: int, lineups: int, rng: np.random.Generator) -> Indices:
    """Return (n, lineups, size) distinct integers of 0 to count - 1, every set equally likely.

    Source: R. Floyd, in J. Bentley, Programming pearls: a sample of brilliance, Communications
    of the ACM 30 (1987).
    """
    chosen = np.empty((len(count), lineups, size), dtype=np.int64)
    for place in range(size):
        last = count - size + place
        drawn = rng.integers(0, last + 1, size=(len(count), lineups))
        taken = (chosen[..., :place] == drawn[..., None]).any(axis=-1)
        chosen[..., place] = np.where(taken, last, drawn)
    return chosen
