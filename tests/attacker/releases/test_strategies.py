"""What strategies ask: only what is open, and the adaptive one where it tells most."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testkit.naming import drawn, named, play

from collude.attacker.releases.channels import RandomisedResponse
from collude.attacker.releases.evidence import signs
from collude.attacker.releases.game import Game
from collude.attacker.releases.knowledge import Knowledge
from collude.attacker.releases.strategies import (
    STRATEGIES,
    Questions,
    Turn,
    strategy_named,
    strategy_of,
)
from collude.attacker.releases.strategies.everybody import Everybody
from collude.attacker.releases.view import NONE
from collude.common.errors import AttackImpossible, PluginInvalid, PluginUnknown

CHANNEL = RandomisedResponse((1.0,))


def turn_of(known, open_=None, answers=NONE, kind="plain", seed=0):
    silos = known.shape[1] * (2 if kind == "xor" else 1)
    knowledge = Knowledge(named(silos), kind, known, CHANNEL)
    open_ = np.ones(knowledge.shape, dtype=bool) if open_ is None else open_
    return Turn(knowledge, answers, open_, signs(knowledge), np.random.default_rng(seed))


def asked(questions):
    columns = (questions.handle, questions.silo, questions.attribute)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("name", STRATEGIES)
@given(seed=st.integers(0, 1000), share=st.floats(0, 1))
@settings(max_examples=30, deadline=None)
def test_only_what_is_open_is_asked_and_once(name, seed, share):
    rng = np.random.default_rng(seed)
    known = rng.integers(-1, 2, (5, 4, 2), dtype=np.int8)
    open_ = rng.random((5, 4, 2)) < share
    found = asked(strategy_named(name).next(turn_of(known, open_)))
    assert len(set(found)) == len(found)
    assert all(open_[where] for where in found)
    assert bool(found) == bool(open_.any())


def test_everybody_asks_all_of_it_in_an_order_that_only_the_seed_decides():
    known = np.zeros((4, 3, 2), dtype=np.int8)
    first, again = (asked(Everybody().next(turn_of(known))) for _ in range(2))
    assert first == again
    assert sorted(first) == [tuple(i) for i in np.ndindex(4, 3, 2)]
    assert asked(Everybody().next(turn_of(known, seed=1))) != first


def information(belief, bits, epsilon):
    """I(person; answer) in nats of a question, summed out; an unknown bit is fair."""
    p = 1 / (1 + math.exp(-epsilon))
    one = [{1: p, 0: 1 - p, -1: 0.5}[int(bit)] for bit in bits]

    def entropy(x):
        return -sum(v * math.log(v) for v in (x, 1 - x) if v > 0)

    total = sum(b * o for b, o in zip(belief, one, strict=True))
    return entropy(total) - sum(b * entropy(o) for b, o in zip(belief, one, strict=True))


@given(seed=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_greedy_asks_what_tells_most_where_all_is_known(seed):
    rng = np.random.default_rng(seed)
    game = drawn((9, 5, 1), CHANNEL, rng)
    view, _ = play(game, Everybody(), rng, answers=2)
    turn = turn_of(game[0].attributes, answers=view.answers)
    for handle, silo, attribute in asked(strategy_named("greedy-adaptive").next(turn)):
        gains = [
            information(turn.belief[handle], game[0].attributes[:, i, 0], 1.0) for i in range(5)
        ]
        assert attribute == 0
        assert gains[silo] == pytest.approx(max(gains), abs=1e-9)


def test_greedy_would_rather_ask_where_persons_are_known():
    known = np.array([[[1], [1]], [[0], [0]], [[0], [-1]], [[1], [-1]]], dtype=np.int8)
    found = asked(strategy_named("greedy-adaptive").next(turn_of(known)))
    assert found == [(handle, 0, 0) for handle in range(4)]


def test_greedy_asks_one_thing_about_each_handle_and_ends_when_nothing_is_open():
    known = np.zeros((4, 3, 2), dtype=np.int8)
    open_ = np.zeros((4, 3, 2), dtype=bool)
    greedy = strategy_named("greedy-adaptive")
    assert greedy.next(turn_of(known, open_)).last
    open_[2, 1, 1] = open_[0, 2, 0] = open_[0, 2, 1] = True
    found = greedy.next(turn_of(known, open_))
    assert not found.last
    assert sorted(found.handle.tolist()) == [0, 2]


def test_greedy_breaks_ties_by_lot():
    known = np.tile(np.array([0, 1] * 20, dtype=np.int8)[:, None, None], (1, 10, 1))
    found = strategy_named("greedy-adaptive").next(turn_of(known))
    assert len(set(found.silo.tolist())) > 5


def test_greedy_refuses_to_choose_by_what_is_not_known():
    known = np.zeros((4, 2, 2), dtype=np.int8)
    with pytest.raises(AttackImpossible, match="greedy-adaptive"):
        strategy_named("greedy-adaptive").next(turn_of(known, kind="xor"))


def test_pairs_are_asked_in_one_order_so_that_few_slots_make_pairs():
    rng = np.random.default_rng(2)
    knowledge, _ = drawn((50, 4, 6), CHANNEL, rng, "xor")
    turn = Turn(knowledge, NONE, np.ones(knowledge.shape, dtype=bool), signs(knowledge), rng)
    first: dict[tuple[int, int], int] = {}
    for handle, silo, attribute in asked(strategy_named("xor-pair").next(turn)):
        first.setdefault((handle, silo), attribute)
    assert all(first[h, 2 * pair] == first[h, 2 * pair + 1] for h in range(50) for pair in range(2))
    assert len(set(first.values())) == 6


def test_an_attack_brings_its_strategy_and_who_brings_none_asks_everybody():
    class Plain:
        name = "plain"

    assert strategy_of(Plain()).name == "everybody"
    assert strategy_named("maximum-likelihood").name == "everybody"
    assert strategy_named("greedy-adaptive").name == "greedy-adaptive"
    assert strategy_named("one-to-one").name == "everybody"
    with pytest.raises(PluginUnknown, match="everybody or greedy-adaptive"):
        strategy_named("gredy")


def test_a_game_knows_what_was_withheld_in_this_epoch_only():
    knowledge, _ = drawn((3, 2, 2), CHANNEL, np.random.default_rng(1))
    handles = tuple(bytes([i]) * 16 for i in range(3))
    game = Game(knowledge, handles, np.random.default_rng(2))
    first = game.choose(Everybody(), [0], [0, 0])
    assert set(first.silo.tolist()) == {0}
    assert game.asked == 6
    told = np.flatnonzero(first.attribute == 0)
    zeros = np.zeros(len(told), dtype=np.int64)
    game.answer(told, zeros, zeros)
    game.close_round([0, 0])
    assert len(game.answers) == 3
    assert len(game.choose(Everybody(), [0], [0, 0])) == 0  # it withheld the other attribute
    game.opened(0)
    again = game.choose(Everybody(), [0], [1, 0])
    assert set(again.attribute.tolist()) == {1}
    game.close_round([2, 0])  # it opened another window in between: that is not held against it
    assert len(game.choose(Everybody(), [0], [2, 0])) == 3


def test_nothing_is_asked_twice_in_one_round():
    class Twice:
        name = "twice"

        def next(self, turn):
            return Questions(*np.zeros((3, 2), dtype=np.int64))

    knowledge, _ = drawn((3, 2, 2), CHANNEL, np.random.default_rng(1))
    game = Game(knowledge, tuple(bytes([i]) * 16 for i in range(3)), np.random.default_rng(2))
    with pytest.raises(PluginInvalid, match="one twice"):
        game.choose(Twice(), [0, 1], [0, 0])
