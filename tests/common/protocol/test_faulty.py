"""Crashes on purpose: in which visit to a round, and that nothing is said from then on."""

from types import SimpleNamespace

import pytest

from collude.common.ids import Round
from collude.common.protocol.faulty import Crashing, Visits, visit_of
from collude.common.protocol.parcel import Outgoing

SAID = [Outgoing("coordinator", "codef_unmask", b"", b"")]


class Session:
    """Goes through the rounds that it is given, one a step, and says something each time."""

    name, deadline, finished = "participant-0", 1.0, False

    def __init__(self, rounds):
        self.rounds, self.round = list(rounds), Round.CODEF_JOIN

    def start(self, now):
        return self.expire(now)

    def expire(self, now):
        self.round = self.rounds.pop(0)
        return SAID

    def give_up(self, error, now):
        return SAID


@pytest.mark.parametrize(
    "where", ["codef_unmask:0", "codef_unmask:-1", "codef_unmask:", "x", ":1", ""]
)
def test_no_round_and_no_visit_are_refused(where):
    with pytest.raises(ValueError, match=r"."):
        visit_of(where)


def test_a_round_alone_is_its_first_visit():
    assert visit_of("codef_unmask") == visit_of("codef_unmask:1") == ("codef_unmask", 1)


@pytest.mark.parametrize(
    ("where", "steps"), [("codef_unmask", 2), ("codef_unmask:2", 5), ("codef_key:2", 6)]
)
def test_it_crashes_in_that_visit_and_says_nothing_from_then_on(where, steps):
    key, unmask = Round.CODEF_KEY, Round.UNMASK
    session, died = Session([key, unmask, unmask, Round.CODEF_ADAPT, unmask, key]), []
    playing = Crashing(session, Visits(session, where), lambda: died.append(session.round))
    said = [playing.start(0.0), *(playing.expire(0.0) for _ in range(steps - 1))]
    assert said == [*[SAID] * (steps - 1), []]
    assert died == [Round(where.split(":")[0])]
    assert (playing.finished, playing.deadline) == (True, None)
    assert playing.give_up(SimpleNamespace(), 0.0) == []
