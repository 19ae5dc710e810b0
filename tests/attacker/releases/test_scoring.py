"""Scores: ties by lot, theory by each handle's own answers, nothing said that has no formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit.naming import drawn, named, play, rate_of

from collude.attacker.releases.channels import DiscreteGaussian, RandomisedResponse
from collude.attacker.releases.evidence import posterior_of
from collude.attacker.releases.knowledge import Knowledge
from collude.attacker.releases.scoring import chances, curve, success_of
from collude.attacker.releases.strategies.everybody import Everybody
from collude.attacker.releases.strategies.pairs import Pairs
from collude.attacker.releases.view import NONE, ReleaseView
from collude.codef.numeric.entropy import log_cosh
from collude.codef.risk import (
    exact_error,
    exact_error_gaussian,
    success_bound,
    success_bound_gaussian,
)
from collude.common.errors import ParameterInvalid


@given(
    st.lists(st.lists(st.integers(1, 3), min_size=4, max_size=4), min_size=1, max_size=6),
    st.integers(0, 3),
)
def test_who_ties_is_named_by_lot(rows, person):
    posterior = np.array(rows, dtype=float)
    posterior /= posterior.sum(axis=1, keepdims=True)
    truth = np.full(len(rows), person)
    assert chances(posterior, truth).mean() == pytest.approx(rate_of(posterior, truth))


def test_rounding_breaks_no_tie():
    posterior = np.array([[0.1 + 0.2, 0.3, 0.4 - 0.1, 0.1]])
    assert chances(posterior, np.array([1])) == pytest.approx([1 / 3])


@pytest.mark.parametrize(
    ("posterior", "truth"),
    [
        (np.ones((2, 3)), np.array([0])),
        (np.ones(3), np.array([0, 1, 2])),
        (np.array([[np.nan, 1.0]]), np.array([0])),
    ],
)
def test_what_cannot_be_scored_is_refused(posterior, truth):
    with pytest.raises(ParameterInvalid):
        chances(posterior, truth)


def scored(channel, *, kind="plain", answers=4, shape=(12, 6, 1), strategy=None):
    rng = np.random.default_rng(3)
    game = drawn(shape, channel, rng, kind)
    view, truth = play(game, strategy or Everybody(), rng, answers=answers)
    return view, success_of(view, posterior_of(view), truth), curve(view, truth)


def test_theory_of_bits_numbers_and_pairs():
    _, bits, _ = scored(RandomisedResponse((1.0,)))
    assert bits.exact == pytest.approx(1 - exact_error(12, 1.0, 4))
    assert bits.guarantee == pytest.approx(float(success_bound(12, [(1.0, 4)])))
    _, numbers, points = scored(DiscreteGaussian((1.5,), 2.0**-8))
    assert numbers.exact == pytest.approx(1 - exact_error_gaussian(12, 1.0, 1.5, 4))
    assert numbers.guarantee == pytest.approx(float(success_bound_gaussian(12, 1.0, 1.5, 4)))
    assert points[0].exact == pytest.approx(1 / 12)
    one = float(log_cosh(1.0))
    _, pairs, points = scored(RandomisedResponse((1.0,)), kind="xor", answers=6, strategy=Pairs())
    assert pairs.answers == 3
    assert pairs.exact == pytest.approx(1 - exact_error(12, one, 3))
    assert points[-1].exact == pytest.approx(pairs.exact)


def test_where_there_is_no_formula_nothing_is_said():
    rng = np.random.default_rng(1)
    game = drawn((8, 4, 1), DiscreteGaussian((1.0, 2.0), 2.0**-8), rng)
    view, truth = play(game, Everybody(), rng, answers=4, level_of=lambda rank: rank % 2)
    found = success_of(view, posterior_of(view), truth)
    assert (found.exact, found.guarantee) == (None, None)
    assert found.rate == rate_of(posterior_of(view), truth)


def test_handles_with_fewer_answers_leave_the_curve_and_not_the_score():
    view, whole, _ = scored(RandomisedResponse((1.0,)), answers=4)
    a = view.answers
    kept = np.flatnonzero((a.handle > 0) | (np.arange(len(a)) == np.flatnonzero(a.handle == 0)[0]))
    cut = ReleaseView(view.knowledge, view.handles, a.taken(kept))
    truth = np.arange(12)
    points = curve(cut, truth)
    assert [point.targets for point in points] == [12, 12, 11, 11, 11]
    score = success_of(cut, posterior_of(cut), truth)
    assert score.answers == 1
    assert score.targets == 12
    expected = (11 * (1 - exact_error(12, 1.0, 4)) + (1 - exact_error(12, 1.0, 1))) / 12
    assert score.exact == pytest.approx(expected)
    assert score.exact < whole.exact


def test_a_long_curve_is_thinned_and_keeps_its_ends():
    view, _, _ = scored(RandomisedResponse((0.5,)), answers=40, shape=(4, 40, 1))
    points = curve(view, np.arange(4), points=8)
    assert len(points) == 9
    assert (points[0].answers, points[-1].answers) == (0, 40)


def test_without_answers_everybody_is_named_by_lot():
    knowledge = Knowledge(named(2), "plain", np.zeros((5, 2, 1), dtype=np.int8),
                          RandomisedResponse((1.0,)))  # fmt: skip
    view = ReleaseView(knowledge, tuple(bytes([i]) * 16 for i in range(5)), NONE)
    (point,) = curve(view, np.arange(5))
    assert (point.rate, point.exact, point.guarantee) == pytest.approx((0.2, 0.2, 0.2))
    assert success_of(view, posterior_of(view), np.arange(5)).rate == pytest.approx(0.2)


def test_one_person_is_always_named():
    knowledge = Knowledge(named(1), "plain", np.zeros((1, 1, 1), dtype=np.int8),
                          RandomisedResponse((1.0,)))  # fmt: skip
    view = ReleaseView(knowledge, (bytes(16),), NONE)
    assert success_of(view, posterior_of(view), np.zeros(1, dtype=np.int64)).exact == 1.0
