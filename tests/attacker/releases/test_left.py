"""Silos whose part ends early say so: the querier does not wait for windows that never come."""

import pytest
from testkit.asked_silos import DEADLINE, Game

from collude.common.errors import PeriodAborted
from collude.common.ids import Round
from collude.common.protocol.aborts import to_abort
from collude.common.protocol.codec import encode_message
from collude.common.protocol.parcel import Parcel
from collude.common.protocol.release_messages import Window


class Said:
    """What silos said to a querier, by hand."""

    def __init__(self, game):
        self.game, self.querier, self.counts = game, game.querier(), {}
        self.querier.start(0.0)

    def say(self, silo, round_, message, now=1.0):
        number = self.counts[silo] = self.counts.get(silo, -1) + 1
        body = encode_message(message)
        parcel = Parcel(b"p" * 32, round_.value, silo, self.querier.name, number, body)
        return self.querier.receive(parcel, now)

    def opens(self, silo):
        handles = b"".join(sorted(self.game.handles(0)))
        return self.say(silo, Round.WINDOW, Window(0, open=True, handles=handles))

    def leaves(self, silo):
        error = PeriodAborted("the coordinator is gone", party="coordinator")
        return self.say(silo, Round.WINDOW, to_abort(error, silo))


def test_when_all_have_left_it_is_over_at_once_also_for_the_periods_to_come():
    said = Said(Game(periods=2))
    for silo in said.game.names:
        said.opens(silo)
    assert said.querier.round is Round.QUERY
    for silo in said.game.names:
        said.leaves(silo)
    assert said.querier.finished
    assert len(said.querier.results) == 2
    assert set(said.querier.given_up) == set(said.game.names)
    assert {error.code for error in said.querier.given_up.values()} == {PeriodAborted.code}
    assert not said.querier.refused
    assert not said.querier.strays


def test_one_that_left_is_not_waited_for_and_the_others_are_asked():
    said = Said(Game(silos=3))
    first, *others = said.game.names
    said.leaves(first)
    sent = [outgoing for silo in others for outgoing in said.opens(silo)]
    assert sorted({outgoing.receiver for outgoing in sent}) == sorted(others)
    assert said.querier.deadline == pytest.approx(1.0 + DEADLINE)


def test_when_most_have_left_the_others_are_waited_for_one_deadline_only():
    said = Said(Game(silos=4))
    for silo in said.game.names[:3]:
        said.opens(silo)
        said.leaves(silo)
    assert said.querier.deadline == pytest.approx(1.0 + DEADLINE)
    said.querier.expire(1.0 + DEADLINE)
    assert said.querier.finished


@pytest.mark.parametrize("round_", [Round.QUERY, Round.RECEIPT, Round.CODEF_ADAPT])
def test_in_another_round_it_changes_nothing(round_):
    said = Said(Game(silos=3))
    silo = said.game.names[0]
    said.say(silo, round_, to_abort(PeriodAborted("no", party=silo), silo))
    assert not said.querier.given_up
    assert len(said.querier.strays) == 1
