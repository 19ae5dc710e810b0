"""The querier's session against silos that really answer: what comes of it, and who is silent."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testkit.asked_silos import DEADLINE, AnsweringSilo, Game, altered, played

from collude.common.errors import (
    DeadlineExceeded,
)
from collude.common.net.memory import FaultPlan
from collude.common.protocol.release_messages import Window

STRATEGIES = ("everybody", "greedy-adaptive")
ONE = "participant-1"


def answered(view):
    """Handle, silo, attribute -> value, level, epoch."""
    a = view.answers
    keys = zip(a.handle.tolist(), a.silo.tolist(), a.attribute.tolist(), strict=True)
    values = zip(a.value.tolist(), a.level.tolist(), a.epoch.tolist(), strict=True)
    return dict(zip(keys, values, strict=True))


# --- what comes of it ---


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_everything_that_leases_allow_is_heard_once_with_receipts(strategy):
    game = Game(epochs=2, slots=1, attributes=3)
    session, _ = played(game, strategy=strategy)
    (result,) = session.results
    assert not session.given_up
    assert not session.refused
    assert not session.strays
    assert not result.notes
    per_silo = Counter((handle, silo) for handle, silo, _ in answered(result.view))
    assert set(per_silo.values()) == {2}  # one slot in each of two epochs
    assert len(per_silo) == game.persons * game.silos
    assert result.view.handles == tuple(sorted(game.handles(0)))


def test_answers_are_those_of_the_silos():
    game = Game(epsilon=30.0, attributes=2, slots=2, epochs=1)  # hardly ever flipped
    session, _ = played(game)
    view, truth = session.results[0].view, game.truth()
    a = view.answers
    expected = game.bits[0][truth[a.handle], a.silo, a.attribute]
    assert np.array_equal(a.value, expected)
    assert len(a) == game.persons * game.silos * 2


def test_a_silo_that_withholds_is_asked_again_under_its_next_lease_only():
    game = Game(epochs=3, slots=1, attributes=2)
    session, silos = played(game, strategy="greedy-adaptive")
    view = session.results[0].view
    assert len(view.answers) == game.persons * game.silos * 2
    for silo in silos:
        # In an epoch a silo withholds at most once about a handle: then nobody asks on.
        for epoch in range(2):
            asked = Counter(
                query.handles[i : i + 16]
                for query in silo.heard
                if query.epoch == epoch
                for i in range(0, len(query.handles), 16)
            )
            assert max(asked.values()) <= game.slots + 1


def test_each_period_has_handles_and_answers_of_its_own():
    game = Game(periods=3, epochs=1, epsilon=30.0)
    session, _ = played(game)
    assert len(session.results) == 3
    for period, result in enumerate(session.results):
        a, truth = result.view.answers, game.truth(period)
        assert result.view.handles == tuple(sorted(game.handles(period)))
        assert np.array_equal(a.value, game.bits[period][truth[a.handle], a.silo, a.attribute])
        assert not result.notes


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_silo_is_told_once_that_nothing_follows(strategy):
    game = Game(epochs=3)
    _, silos = played(game, strategy=strategy)
    for silo in silos:
        last = [query.epoch for query in silo.heard if query.last]
        assert last == [0, 1, 2]


@given(seed=st.integers(0, 10_000), strategy=st.sampled_from(STRATEGIES), faulty=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_order_of_arrival_changes_nothing(seed, strategy, faulty):
    """Silos are deterministic, and questions of `everybody` depend on no answer."""
    game = Game(persons=6, silos=3, attributes=2, epochs=2, periods=2)
    calm, _ = played(game, strategy=strategy)
    links = FaultPlan(loss=0.1, duplicate=0.2, reorder=0.3, delay=(0.001, 0.02))
    stormy, _ = played(
        game, strategy=strategy, plan=links if faulty else FaultPlan(delay=(0.001, 0.5)), seed=seed
    )
    for one, other in zip(calm.results, stormy.results, strict=True):
        assert answered(one.view) == answered(other.view)
        for name in ("handle", "silo", "attribute", "value"):
            assert np.array_equal(
                getattr(one.view.answers, name), getattr(other.view.answers, name)
            )
        assert not other.notes


# --- who is silent ---


def test_a_silo_that_never_comes_is_given_up_by_name_after_one_deadline():
    game = Game()
    session, _ = played(game, plan=FaultPlan(crash={ONE: 0.0}))
    assert set(session.given_up) == {ONE}
    error = session.given_up[ONE]
    assert isinstance(error, DeadlineExceeded)
    assert error.party == ONE
    silos = set(session.results[0].view.answers.silo.tolist())
    assert silos == {0, 2, 3}


def test_the_others_are_not_kept_waiting_longer_than_their_windows_stay_open():
    game = Game(epochs=3)
    session = game.querier()
    network = game.run(session, game.parties(), FaultPlan(crash={ONE: 0.0}))
    assert DEADLINE <= network.now < 1.5 * DEADLINE  # waited once, not in every epoch


def test_when_most_have_ended_the_period_the_rest_is_not_waited_for_long():
    game = Game(epochs=1)
    session = game.querier()
    dumb = altered(game, Window, lambda message, _: message if message.open else None)
    network = game.run(session, game.parties(participant_1=dumb))
    assert set(session.given_up) == {ONE}
    assert DEADLINE <= network.now < 1.5 * DEADLINE


def test_a_silo_that_falls_silent_among_questions_loses_only_its_own_answers():
    game = Game(epochs=2, slots=2)
    calm, _ = played(game)

    def silent(message, epoch):
        opens = isinstance(message, Window) and message.open
        return message if epoch == 0 or opens else None

    session, _ = played(game, participant_1=AnsweringSilo(game, ONE, silent))
    assert set(session.given_up) == {ONE}
    lost = {key: value for key, value in answered(calm.results[0].view).items() if key[1] == 1}
    kept = answered(session.results[0].view)
    assert {key for key in kept if key[1] == 1} == {k for k, v in lost.items() if v[2] == 0}
    assert sum(key[1] != 1 for key in kept) == game.persons * 3 * 2


def test_a_silo_given_up_in_one_period_comes_back_in_the_next():
    game = Game(periods=2, epochs=1)

    class Late(AnsweringSilo):
        """Shows no window in its first period, as if it had been restarted in it."""

        def _begin(self):
            out = super()._begin()
            return out if self._period else super()._begin()

    session, _ = played(game, participant_1=Late(game, ONE))
    first, second = session.results
    assert not session.refused
    assert 1 not in first.view.answers.silo
    assert 1 in second.view.answers.silo
    assert not second.notes


def test_when_nobody_comes_it_ends_by_itself_and_names_all():
    game = Game(periods=2)
    session, _ = played(game, plan=FaultPlan(crash=dict.fromkeys(game.names, 0.0)))
    assert set(session.given_up) == set(game.names)
    assert [result.view for result in session.results] == [None, None]


def test_a_silo_that_cannot_be_reached_is_given_up_at_once():
    game = Game()
    session = game.querier()
    session.start(0.0)
    session.lose(ONE, DeadlineExceeded("is not there", party=ONE), 0.0)
    game.run(session, [s for s in game.parties() if s.name != ONE])
    assert session.finished
    assert session.given_up[ONE].reason == "is not there"


def test_whoever_ends_early_does_not_keep_the_others():
    game = Game(epochs=2)

    def gives_up(message, epoch):
        return Window(0, open=False, handles=b"") if message.open and not epoch else None

    session, _ = played(game, participant_1=altered(game, Window, gives_up))
    assert not session.given_up
    assert not session.refused
    assert set(session.results[0].view.answers.silo.tolist()) == {0, 2, 3}


def test_before_its_deadline_nobody_is_given_up():
    game = Game()
    session = game.querier()
    session.start(0.0)
    assert session.expire(session.deadline - 0.01) == []
    assert not session.given_up
    session.expire(session.deadline)
    assert set(session.given_up) == set(game.names)
