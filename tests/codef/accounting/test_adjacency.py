"""XSP-DP compares worlds that differ in one person, in however many silos."""

import itertools
import math

import numpy as np
import pytest

from collude.codef.accounting import basic_composition, differing_person, person_neighbours
from collude.common.errors import ParameterInvalid


def worlds(silos: int, persons: int) -> list[list[np.ndarray]]:
    cells = itertools.product((0, 1), repeat=silos * persons)
    return [list(np.array(bits).reshape(silos, persons)) for bits in cells]


def test_neighbours_differ_in_one_person() -> None:
    one = [np.array([[1, 2], [3, 4]]), np.array([5, 6])]
    other = [np.array([[1, 2], [0, 0]]), np.array([5, 0])]
    assert differing_person(one, other) == 1
    assert person_neighbours(one, other)
    assert differing_person(one, one) is None
    assert not person_neighbours(one, one)


def test_worlds_that_cannot_be_compared_are_refused() -> None:
    one = [np.array([1, 2, 3])]
    for other in ([], [np.array([1, 2])], [np.array([0, 0, 3])]):
        with pytest.raises(ParameterInvalid, match="worlds"):
            person_neighbours(one, other)


def test_silos_together_are_private_up_to_the_sum_over_all_neighbours() -> None:
    """Two silos that answer with the parity of their records: every pair of neighbouring worlds."""
    epsilons = (0.7, 0.4)

    def law(world: list[np.ndarray]) -> np.ndarray:
        found = np.ones(1)
        for silo, epsilon in zip(world, epsilons, strict=True):
            p = 1 / (1 + math.exp(-epsilon))
            parity = int(silo.sum()) % 2
            found = np.outer(found, [1 - p, p] if parity else [p, 1 - p]).ravel()
        return found

    worst = 0.0
    for one, other in itertools.product(worlds(2, 2), repeat=2):
        changed = {p for a, b in zip(one, other, strict=True) for p in np.flatnonzero(a != b)}
        if len(changed) == 1:
            assert person_neighbours(one, other)
            worst = max(worst, float(np.log(law(one) / law(other)).max()))
    assert worst == pytest.approx(basic_composition([(e, 0) for e in epsilons])[0])
