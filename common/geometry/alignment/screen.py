"""Which uploads no honest participant would have sent: looked for before anything is aligned.

An estimator takes every upload for A O_i + noise, and a single one that is not can move all
others. Three tests look at the centred anchors Bbar_i, in this order:

1. duplicate: ||Bbar_i - Bbar_j|| is nothing beside the norms. The later one goes, so that
   nobody votes twice in what follows.
2. norm: ||Bbar_i|| is far above the median. Norms that are too small do no harm and stay.
3. affinity: ||Bbar_i^T Bbar_j||_* / (||Bbar_i|| ||Bbar_j||), 0 to 1, tells how well one upload can
   be rotated onto the other. Whose median over the others is far below the median of those
   medians goes.

"Far" is five median absolute deviations, but never less than a floor that noise alone does not
reach: few honest uploads may by chance agree so well that an honest sixth stands out.

What the screen cannot do: it supposes that most uploads are honest and that all add about the
same noise; it cannot tell an orthogonal map that is not the participant's own (A P O for A O,
harmless to the others), and past s = 1 it hardly tells garbage from noise (as harmless).
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from collude.common.geometry.alignment.intake import accept_anchors, party_labels
from collude.common.geometry.arrays import FloatArray

DUPLICATE, NORM, AFFINITY = "duplicate", "norm", "affinity"
DEVIATIONS = 5.0
"""How many median absolute deviations are far."""
SAME = 1e-6
"""Two uploads are copies of each other up to this part of their norms."""
LARGE = 1.5
"""A norm up to this many times the median is never far, whatever the deviations; more at small d.

Measured at d = 60, r = 4 d, p = 10, s = .8: one honest upload times 1.5 costs the others 2 % of
their pair error, times 2 12 %.
"""
FEWEST = 3
"""With fewer uploads nothing tells which is the odd one, and only duplicates are looked for. The
deviations of so few mean little; the floors do the work there."""
MOST_PARTNERS = 32
"""With more participants each is compared with this many others, to keep the time linear.

The majority must be clearer then: of honest uploads among a fifth of hostile ones, 1 in 10,000
meets 16 hostile partners, among two fifths 1 in 6."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """An upload that is left out, and the figure that tells why.

    Attributes:
        index: its place among the anchors.
        party: who sent it.
        test: `duplicate`, `norm` or `affinity`.
        figure: duplicate: relative distance; norm: multiple of the median norm; affinity: median
            affinity with the others.
        threshold: what the figure would have had to stay above (duplicate, affinity) or at most
            reach (norm).
        twin: duplicate: whose copy it is; else None.
    """

    index: int
    party: str
    test: str
    figure: float
    threshold: float
    twin: str | None = None

    def __str__(self) -> str:
        """Return a sentence for a person."""
        told = _SENTENCES[self.test].format(twin=self.twin)
        return f"{told} ({self.test} {self.figure:.3g}, threshold {self.threshold:.3g})"


_SENTENCES = {
    DUPLICATE: "its anchor is a copy of {twin}'s, or the other way round",
    NORM: "its anchor is far larger than the others'",
    AFFINITY: "its anchor does not fit the others'",
}


@dataclass(frozen=True, slots=True)
class Screening:
    """What the screen found.

    Attributes:
        kept: places of the anchors to align, in order; never empty.
        dropped: the others, in the order of the tests.
    """

    kept: tuple[int, ...]
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class _Sight:
    """One upload as the tests see it. The centred anchor is made when asked for, and not kept.

    Attributes:
        index: its place.
        party: who sent it.
        anchor: B, shape (r, d).
        mean: b, shape (d,).
        log_norm: ln ||Bbar||.
    """

    index: int
    party: str
    anchor: FloatArray
    mean: FloatArray
    log_norm: float

    @property
    def width(self) -> int:
        """Return d."""
        return self.mean.size

    @property
    def unit(self) -> FloatArray:
        """Return Bbar / ||Bbar||, shape (r, d)."""
        return self._scaled(self.anchor)

    @property
    def first_row(self) -> FloatArray:
        """Return the first row of `unit`, shape (d,)."""
        return self._scaled(self.anchor[0])

    def _scaled(self, rows: FloatArray) -> FloatArray:
        centred: FloatArray = rows - self.mean
        return centred * math.exp(-self.log_norm)


def screen_anchors(anchors: Sequence[FloatArray], names: Sequence[str] | None = None) -> Screening:
    """Return which anchors to align, and why the others not.

    Args:
        anchors: B_i, shape (r, d), r >= d + 1.
        names: of the parties, else `#i`.

    Raises:
        UploadRejected: an anchor is bad.
        ValueError: no anchor, or another number of names.

    Source: noisy anchor alignment leaves hostile uploads open; the tests are this project's own.
    """
    seen = list(_look(anchors, names))
    dropped: list[Dropped] = []
    for test in _TESTS:
        found = list(test(seen))
        gone = {drop.index for drop in found}
        seen = [sight for sight in seen if sight.index not in gone]
        dropped += found
    return Screening(tuple(sight.index for sight in seen), tuple(dropped))


def _look(anchors: Sequence[FloatArray], names: Sequence[str] | None) -> Iterator[_Sight]:
    labels = party_labels(len(anchors), names)
    accepted = accept_anchors(anchors, names)
    for i, (label, a) in enumerate(zip(labels, accepted, strict=True)):
        yield _Sight(i, label, anchors[i], a.mean, 0.5 * math.log(a.energy))


def _duplicates(seen: Sequence[_Sight]) -> Iterator[Dropped]:
    """Find the later ones of equal uploads.

    One row is enough to rule most pairs out: its distance bounds that of the whole from below.
    At d = 1 two honest uploads without noise are equal half of the time: nothing is found.
    """
    if seen[0].width == 1:
        return
    first: list[_Sight] = []
    for sight in seen:
        near = (o for o in first if np.linalg.norm(sight.first_row - o.first_row) <= SAME)
        twin = next((other for other in near if _distance(sight, other) <= SAME), None)
        if twin is None:
            first.append(sight)
            continue
        distance = _distance(sight, twin)
        yield Dropped(sight.index, sight.party, DUPLICATE, distance, SAME, twin.party)


def _distance(one: _Sight, other: _Sight) -> float:
    """Return ||Bbar_i - Bbar_j|| / ||Bbar_j||, at least."""
    scaled = one.unit * math.exp(min(one.log_norm - other.log_norm, 1.0))
    return float(np.linalg.norm(scaled - other.unit))


def _norms(seen: Sequence[_Sight]) -> Iterator[Dropped]:
    """Find uploads of a far too large norm."""
    if len(seen) < FEWEST:
        return
    logs = np.array([sight.log_norm for sight in seen])
    middle, far = _spread(logs, math.log(LARGE * (1.0 + 3.0 / seen[0].width)))
    for sight in seen:
        above = sight.log_norm - middle
        if above > far:
            figure, threshold = math.exp(above), math.exp(far)
            yield Dropped(sight.index, sight.party, NORM, figure, threshold)


def _affinities(seen: Sequence[_Sight]) -> Iterator[Dropped]:
    """Find uploads that fit the others far worse than those fit each other.

    Between honest uploads the medians vary by up to .2 / d at any noise: the floor is far above.
    """
    if len(seen) < FEWEST:
        return
    medians = np.array([np.median(row) for row in _compare(seen)])
    middle, far = _spread(medians, 1.5 / seen[0].width)
    for sight, median in zip(seen, medians, strict=True):
        if median < middle - far:
            yield Dropped(sight.index, sight.party, AFFINITY, float(median), middle - far)


_TESTS: tuple[Callable[[Sequence[_Sight]], Iterator[Dropped]], ...] = (
    _duplicates,
    _norms,
    _affinities,
)


def _spread(values: FloatArray, floor: float) -> tuple[float, float]:
    """Return the median, and how far from it is far."""
    middle = float(np.median(values))
    deviation = float(np.median(np.abs(values - middle)))
    return middle, max(DEVIATIONS * deviation, floor)


def _compare(seen: Sequence[_Sight]) -> list[list[float]]:
    """Return each upload's affinities with its partners."""
    found: list[list[float]] = [[] for _ in seen]
    for i, j in _pairs(seen):
        affinity = float(np.linalg.norm(seen[i].unit.T @ seen[j].unit, "nuc"))
        found[i].append(affinity)
        found[j].append(affinity)
    return found


def _pairs(seen: Sequence[_Sight]) -> Iterable[tuple[int, int]]:
    """Return all pairs; of many uploads so many that each has `MOST_PARTNERS` partners.

    Those are evenly spaced on a circle whose order hangs on all uploads together, so that
    nobody can choose a place beside somebody.
    """
    p = len(seen)
    if p <= MOST_PARTNERS + 1:
        return combinations(range(p), 2)
    circle = _shuffled(seen)
    steps = range(1, p // 2, max(1, (p // 2) // (MOST_PARTNERS // 2)))[: MOST_PARTNERS // 2]
    return ((circle[k], circle[(k + step) % p]) for step in steps for k in range(p))


def _shuffled(seen: Sequence[_Sight]) -> list[int]:
    """Return the places in an order that nobody knows who has not seen every upload."""
    everything = hashlib.sha256(b"".join(sight.mean.tobytes() for sight in seen)).digest()
    draw = [hashlib.sha256(everything + i.to_bytes(4, "little")).digest() for i in range(len(seen))]
    return sorted(range(len(seen)), key=draw.__getitem__)
