"""Attackers against theory: the rates of many games, each with persons of its own.

Games are independent, so the mean over games has a standard error; a right formula is more than
4.5 of them off once in 150,000 times.
"""

from dataclasses import replace

import numpy as np
import pytest
from testkit.naming import MOST_Z, drawn, far_off, play, rate_of

from collude.attacker.attacks import release_registry
from collude.attacker.releases.channels import DiscreteGaussian, RandomisedResponse
from collude.attacker.releases.scoring import chances, curve, success_of
from collude.attacker.releases.strategies import strategy_of
from collude.codef.numeric.entropy import log_cosh
from collude.codef.risk import (
    exact_error,
    exact_error_gaussian,
    exact_error_mixed,
    success_bound,
)


def rates(attack, shape, channel, games, *, answers, kind="plain", seed=0, **how):
    attack = release_registry()[attack]
    found = []
    for number in range(games):
        rng = np.random.default_rng([seed, number])
        game = drawn(shape, channel, rng, kind)
        view, truth = play(game, strategy_of(attack), rng, answers=answers, **how)
        found.append(chances(attack.identify(view, rng), truth).mean())
    return np.array(found)


@pytest.mark.parametrize(("n", "k", "epsilon"), [(2, 3, 1.0), (20, 7, 1.0), (60, 6, 2.0)])
def test_maximum_likelihood_is_as_good_as_the_exact_formula(n, k, epsilon):
    found = rates("maximum-likelihood", (n, k, 1), RandomisedResponse((epsilon,)), 300, answers=k)
    assert abs(far_off(found, 1 - exact_error(n, epsilon, k))) < MOST_Z


def test_with_mixed_levels_too():
    channel, first = RandomisedResponse((2.0, 0.5)), {"level_of": lambda rank: int(rank >= 4)}
    found = rates("maximum-likelihood", (25, 9, 1), channel, 300, answers=9, **first)
    assert abs(far_off(found, 1 - exact_error_mixed(25, [(2.0, 4), (0.5, 5)]))) < MOST_Z


def test_who_takes_all_levels_for_one_is_worse():
    """So the test above can fail: the weights matter."""
    attack, channel = release_registry()["maximum-likelihood"], RandomisedResponse((2.0, 0.5))
    lost = []
    for number in range(200):
        rng = np.random.default_rng(number)
        view, truth = play(
            drawn((25, 9, 1), channel, rng), strategy_of(attack), rng,
            answers=9, level_of=lambda rank: int(rank >= 4),
        )  # fmt: skip
        blind = replace(view, knowledge=replace(view.knowledge, channel=RandomisedResponse((1, 1))))
        both = [chances(attack.identify(v, rng), truth).mean() for v in (view, blind)]
        lost.append(both[0] - both[1])
    assert far_off(lost, 0.0) > MOST_Z


def test_gaussian_answers_are_as_good_as_their_exact_formula():
    channel = DiscreteGaussian((1.2,), 2.0**-10)
    found = rates("maximum-likelihood", (20, 8, 1), channel, 300, answers=8)
    assert abs(far_off(found, 1 - exact_error_gaussian(20, 1.0, 1.2, 8))) < MOST_Z


def test_pairs_are_as_good_as_answers_at_ln_cosh_epsilon():
    channel = RandomisedResponse((2.0,))
    found = rates("xor-pair", (20, 12, 1), channel, 300, answers=12, kind="xor")
    pairs = 1 - exact_error(20, float(log_cosh(2.0)), 6)
    assert abs(far_off(found, pairs)) < MOST_Z


def test_who_knows_only_secrets_learns_nothing_from_one_silo_of_each_pair():
    rng = np.random.default_rng(5)
    knowledge, bits = drawn((30, 8, 1), RandomisedResponse((3.0,)), rng, "xor")

    class Evens:
        name = "evens"

        def next(self, turn):
            asked = release_registry()["xor-pair"].strategy().next(turn)
            kept = asked.silo % 2 == 0
            return type(asked)(asked.handle[kept], asked.silo[kept], asked.attribute[kept], True)

    view, truth = play((knowledge, bits), Evens(), rng, answers=8)
    assert len(view.answers) == 30 * 4
    posterior = release_registry()["xor-pair"].identify(view, rng)
    assert np.allclose(posterior, 1 / 30)
    assert success_of(view, posterior, truth).rate == pytest.approx(1 / 30)


@pytest.mark.slow
def test_who_adapts_does_better_than_who_does_not_and_never_beats_the_guarantee():
    """n = 60, 12 of 60 answers at epsilon 1."""
    n, k = 60, 12
    channel = RandomisedResponse((1.0,))
    fixed = rates("maximum-likelihood", (n, 60, 1), channel, 150, answers=k)
    greedy = rates("greedy-adaptive", (n, 60, 1), channel, 150, answers=k, seed=1)
    bound = float(success_bound(n, [(1.0, k)]))
    assert abs(far_off(fixed, 1 - exact_error(n, 1.0, k))) < MOST_Z
    assert far_off(greedy, 1 - exact_error(n, 1.0, k)) > MOST_Z
    assert far_off(greedy, bound) < MOST_Z


@pytest.mark.slow
def test_who_names_all_persons_at_once_beats_the_guarantee_for_one_handle():
    """The bound is about one handle: this is why its condition must be said."""
    n, k = 120, 48
    channel = RandomisedResponse((1.0,))
    alone = rates("maximum-likelihood", (n, k, 1), channel, 40, answers=k)
    together = rates("one-to-one", (n, k, 1), channel, 40, answers=k)
    bound = float(success_bound(n, [(1.0, k)]))
    assert far_off(alone, bound) < -MOST_Z
    assert far_off(together, bound) > MOST_Z


def test_a_curve_is_the_success_after_each_answer():
    """Point k of the curve is maximum likelihood on the first k answers about each handle."""
    rng = np.random.default_rng(11)
    game = drawn((15, 6, 2), RandomisedResponse((1.0, 0.5)), rng)
    attack = release_registry()["maximum-likelihood"]
    view, truth = play(game, strategy_of(attack), rng, answers=9, level_of=lambda r: int(r >= 5))
    points = curve(view, truth)
    assert [point.answers for point in points] == list(range(10))
    a = view.answers
    for point in points:
        first = np.concatenate([np.flatnonzero(a.handle == h)[: point.answers] for h in range(15)])
        cut = type(view)(view.knowledge, view.handles, a.taken(np.sort(first).astype(np.int64)))
        assert point.rate == pytest.approx(rate_of(attack.identify(cut, rng), truth))
        used = [(1.0, min(5, point.answers)), (0.5, max(0, point.answers - 5))]
        assert point.exact == pytest.approx(1 - exact_error_mixed(15, used))
        assert point.guarantee == pytest.approx(float(success_bound(15, used)))
        assert point.targets == 15
        assert point.interval[0] <= point.rate <= point.interval[1]
    last = success_of(view, attack.identify(view, rng), truth)
    assert (last.rate, last.exact) == (points[-1].rate, points[-1].exact)
