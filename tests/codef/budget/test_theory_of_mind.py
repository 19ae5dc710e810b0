"""The filter that can be simulated keeps its floor; the naive one talks by being silent."""

import math

import numpy as np
import pytest

from collude.codef.budget import LeakyTheoryOfMindFilter, TheoryOfMindFilter
from collude.codef.budget.theory_of_mind import entropy
from collude.common.errors import ParameterInvalid

N, EPSILON, ROUNDS, RUNS = 200, 1.0, 80, 60
FLOOR = 0.5 * math.log(N)


def answer(bit: int, rng: np.random.Generator) -> int:
    return int(bit) ^ int(rng.random() < 1 / (1 + math.exp(EPSILON)))


def simulatable(rng: np.random.Generator) -> tuple[float, float, int]:
    """One game: the attacker's last entropy, whether it names the target, answers given."""
    belief, target, given = TheoryOfMindFilter.uniform(N, (EPSILON,), FLOOR), rng.integers(N), 0
    for _ in range(ROUNDS):
        bits = rng.integers(0, 2, N)
        if belief.decide(bits).epsilon is None:
            continue
        belief, given = belief.observe(bits, EPSILON, answer(bits[target], rng)), given + 1
        assert belief.entropy >= FLOOR
    return belief.entropy, float(belief.belief.argmax() == target), given


def naive(rng: np.random.Generator) -> tuple[float, float, int]:
    """The attacker reads refusals; the filter goes on from all it drew, withheld or not."""
    guard, target, given = LeakyTheoryOfMindFilter.uniform(N, (EPSILON,), FLOOR), rng.integers(N), 0
    reader = guard
    for _ in range(ROUNDS):
        bits = rng.integers(0, 2, N)
        drawn = answer(bits[target], rng)
        if guard.decide(bits, EPSILON, drawn).epsilon is not None:
            reader, given = reader.observe(bits, EPSILON, drawn), given + 1
        elif guard.decide(bits, EPSILON, 1 - drawn).epsilon is not None:
            reader = reader.observe(bits, EPSILON, drawn)  # refused: it can only have been this
        guard = guard.observe(bits, EPSILON, drawn)
    return reader.entropy, float(reader.belief.argmax() == target), given


def mean_of(game) -> np.ndarray:
    return np.mean([game(np.random.default_rng([7, run])) for run in range(RUNS)], axis=0)


def test_the_simulatable_filter_keeps_the_floor() -> None:
    left, named, given = mean_of(simulatable)
    assert left == pytest.approx(2.74, abs=0.04)
    assert named == pytest.approx(0.370, abs=0.17)
    assert given == pytest.approx(23.7, abs=1.5)


def test_the_naive_filter_is_read_below_the_floor() -> None:
    left, named, _ = mean_of(naive)
    assert left == pytest.approx(2.01, abs=0.2)
    assert left < FLOOR
    assert named == pytest.approx(0.470, abs=0.18)


def test_a_refusal_is_read_as_the_answer_it_hides() -> None:
    bits = np.array([1, 0, 0, 0])
    guard = LeakyTheoryOfMindFilter.uniform(4, (3.0,), 1.0)
    assert guard.decide(bits, 3.0, 1).epsilon is None
    assert guard.decide(bits, 3.0, 0).epsilon == 3.0
    read = guard.observe_refusal(bits, 3.0)
    assert read.belief == pytest.approx(guard.observe(bits, 3.0, 1).belief)
    assert read.entropy < 1.0
    blind = LeakyTheoryOfMindFilter.uniform(4, (3.0,), 1.38)  # it refuses both answers
    assert blind.observe_refusal(bits, 3.0) is blind


def test_the_simulatable_filter_decides_without_the_answer() -> None:
    bits = np.array([1, 0, 0, 0])
    guard = TheoryOfMindFilter.uniform(4, (3.0, 0.5), 1.0)
    worst = {e: min(guard.observe(bits, e, y).entropy for y in (0, 1)) for e in (3.0, 0.5)}
    assert worst[3.0] < 1.0 <= worst[0.5]
    assert guard.decide(bits).epsilon == 0.5
    assert TheoryOfMindFilter.uniform(4, (3.0,), 1.0).decide(bits).epsilon is None
    assert "4 persons" not in repr(guard)
    assert "prior" not in repr(guard)


def test_the_belief_is_bayes_rule() -> None:
    guard = TheoryOfMindFilter((1.0,), 0.0, np.array([0.5, 0.3, 0.2]))
    found = guard.observe([1, 0, 1], 1.0, 1).belief
    p, q = 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))
    weight = np.array([0.5 * p, 0.3 * q, 0.2 * p])
    assert found == pytest.approx(weight / weight.sum())
    assert entropy(np.array([1.0, 0.0])) == 0


@pytest.mark.parametrize("bad", [
    lambda: TheoryOfMindFilter.uniform(1, (1.0,), 0.5),
    lambda: TheoryOfMindFilter.uniform(4, (), 0.5),
    lambda: TheoryOfMindFilter.uniform(4, (0.0,), 0.5),
    lambda: TheoryOfMindFilter.uniform(4, (1.0,), -0.5),
    lambda: TheoryOfMindFilter((1.0,), 0.5, np.array([0.5, 0.6])),
    lambda: TheoryOfMindFilter.uniform(4, (1.0,), 0.5).decide([0, 1]),
    lambda: TheoryOfMindFilter.uniform(2, (1.0,), 0.5).decide([0, 2]),
    lambda: TheoryOfMindFilter.uniform(2, (1.0,), 0.5).observe([0, 1], 1.0, 2),
    lambda: TheoryOfMindFilter.uniform(2, (1.0,), 0.5).observe([0, 1], -1.0, 1),
])  # fmt: skip
def test_bad_arguments_are_refused(bad) -> None:
    with pytest.raises(ParameterInvalid):
        bad()
