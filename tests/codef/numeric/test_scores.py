"""Sums of scores against the enumeration of every pattern of answers."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from collude.codef.numeric import scores
from collude.codef.numeric.scores import merged, summed, unit_of
from collude.common.errors import ParameterInvalid

SCHEDULES = [
    [(1.0, 3), (0.5, 4)],
    [(2.0, 1), (0.25, 3), (1.0, 2)],
    [(0.7, 2), (1 / 3, 4)],
]


def enumerated(schedule, target: bool) -> Counter:
    law: Counter = Counter()
    epsilons = [epsilon for epsilon, count in schedule for _ in range(count)]
    for flips in itertools.product((0, 1), repeat=len(epsilons)):
        mass = 1.0
        for flip, epsilon in zip(flips, epsilons, strict=True):
            q = 1 / (1 + math.exp(epsilon)) if target else 0.5
            mass *= q if flip else 1 - q
        score = sum(e for flip, e in zip(flips, epsilons, strict=True) if flip)
        law[round(score, 6)] += mass
    return law


# With no pairs allowed the sums go by way of the dense table, which a third and 0.7 would overfill.
@pytest.mark.parametrize(
    ("schedule", "pairs"),
    [(s, scores.MOST_PAIRS) for s in SCHEDULES] + [(s, 0) for s in SCHEDULES[:2]],
)
def test_the_law_is_that_of_every_pattern(schedule, pairs: int, monkeypatch) -> None:
    monkeypatch.setattr(scores, "MOST_PAIRS", pairs)
    counts = merged(schedule)
    unit = unit_of(counts)
    law = summed(counts, unit, laws=2, down=False)
    for row, target in zip(law.mass, (True, False), strict=True):
        found = {round(unit * level, 6): mass for level, mass in zip(law.level, row, strict=True)}
        exact = enumerated(schedule, target)
        assert found.keys() == exact.keys()
        assert [found[score] for score in exact] == pytest.approx(list(exact.values()), rel=1e-12)


def test_rounding_down_never_makes_a_score_worse() -> None:
    counts = merged([(1 / 3, 5), (0.123456, 4)])
    exact = summed(counts, unit_of(counts), laws=1, down=False)
    coarse = summed(counts, 0.05, laws=1, down=True)
    for score in np.linspace(0, 2.5, 60):
        kept = exact.mass[0][exact.level * unit_of(counts) <= score].sum()
        assert coarse.mass[0][coarse.level * 0.05 <= score + 1e-9].sum() >= kept - 1e-12


def test_answers_at_the_same_epsilon_are_one_entry_and_pure_noise_none() -> None:
    assert merged([(0.5, 2), (1, 1), (0.5, 3), (0, 9), (2, 0)]) == {1.0: 1, 0.5: 5}


@pytest.mark.parametrize("schedule", [[(-1, 2)], [(1, -2)], [(1, 1.5)], [(math.nan, 1)], [(1,)]])
def test_a_bad_schedule_is_refused(schedule) -> None:
    with pytest.raises(ParameterInvalid):
        merged(schedule)
