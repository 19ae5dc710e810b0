"""A period and then a session as one endpoint: what ends it, what it ignores, whom it tells."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.counted import core, federation, parties, talk
from testkit.examples import EXAMPLES

from collude.common.errors import DataInvalid, PeerUnreachable, ReleaseRefused, SessionAborted
from collude.common.ids import ANALYST, COORDINATOR, Round
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.parcel import Parcel
from collude.participant.assemble import assemble_counted
from collude.participant.session import MOST_REFUSED

FED = federation()
P0, P1, P2 = FED.scenario.participants
ABORT = m.Abort("E-DEADLINE", "nobody came", P1, "", "", "", "")


def session(fed=FED, name=P0):
    made, silo = assemble_counted(fed.scenario, fed.roster, fed.shares[name], core(fed, name))
    return made, silo


def letter(message, sender=ANALYST, **changes):
    values = {"session": b"", "round": "r0_join", "receiver": P0, "sequence": 0}
    return Parcel(**(values | changes), sender=sender, body=encode_message(message))


def told(outgoing):
    return {o.receiver: decode_message(o.body) for o in outgoing}


def test_it_begins_with_the_period_and_joins_nobody_else_yet():
    made, _ = session()
    (join,) = made.start(0.0)
    assert (join.receiver, join.round, made.round) == (COORDINATOR, "codef_join", Round.CODEF_JOIN)
    assert made.deadline is not None
    assert not made.finished


def test_before_the_join_the_analyst_is_heard_only_when_all_is_over():
    made, _ = session()
    made.start(0.0)
    for message in (EXAMPLES[m.Welcome], EXAMPLES[m.Finished]):
        assert made.receive(letter(message), 1.0) == []
    assert [error.party for error in made.refused] == [ANALYST, ANALYST]
    assert not made.finished
    said = told(made.receive(letter(ABORT), 2.0))
    assert set(said) == {COORDINATOR}  # the analyst knows
    assert isinstance(said[COORDINATOR], m.Abort)
    assert (made.finished, made.round, made.error.party) == (True, Round.ABORTED, P1)
    assert made.deadline is None


def test_bytes_that_are_no_message_change_nothing():
    made, _ = session()
    made.start(0.0)
    bad = letter(ABORT)
    assert made.receive(Parcel(b"", "r0_join", ANALYST, P0, 0, bad.body[:-1]), 1.0) == []
    assert len(made.refused) == 1
    assert not made.finished


def test_an_analyst_that_talks_for_ever_is_left():
    made, _ = session()
    made.start(0.0)
    for _ in range(MOST_REFUSED):
        assert made.receive(letter(EXAMPLES[m.Welcome]), 1.0) == []
    assert set(told(made.receive(letter(EXAMPLES[m.Welcome]), 1.0))) == {ANALYST, COORDINATOR}
    assert made.finished


def test_a_coordinator_that_is_silent_is_named_to_the_analyst():
    made, silo = session()
    made.start(0.0)
    assert made.expire(made.deadline - 0.1) == []
    said = told(made.expire(made.deadline))
    assert (said[ANALYST].code, said[ANALYST].party) == ("E-DEADLINE", COORDINATOR)
    assert (made.finished, made.error.party) == (True, COORDINATOR)
    assert not silo.has_uploaded
    assert made.give_up(SessionAborted("again", party=P0), 1e9) == []


def test_a_lost_coordinator_ends_the_period_and_not_what_comes_after():
    made, _ = session()
    made.start(0.0)
    lost = PeerUnreachable("cannot be reached", party=COORDINATOR)
    assert told(made.give_up(lost, 1.0))[ANALYST].party == COORDINATOR
    after = talk(parties(FED)).parties.participants[P0]
    assert after.give_up(lost, 1.0) == []
    assert after.error is None
    assert after.round is Round.DONE


def test_the_coordinator_has_no_say_after_the_period():
    done = []

    class Late:
        def __init__(self, endpoint):
            self._endpoint = endpoint

        def __getattr__(self, name):
            return getattr(self._endpoint, name)

        def receive(self, parcel, now):
            outgoing = self._endpoint.receive(parcel, now)
            if self.round is Round.UPLOAD:
                done.append(made.participants[P0].receive(letter(ABORT, COORDINATOR), now))
            return outgoing

        @property
        def round(self):
            return made.participants[P0].round

    made = parties(FED)
    talked = talk(made, wrap={P0: Late})
    assert done == [[]]
    assert set(talked.errors.values()) == {None}


@pytest.mark.parametrize("whom", [P0, P2])
def test_a_withheld_lease_ends_the_run_by_name_and_nothing_is_uploaded(whom):
    """Every silo in the federation is told, the analyst too; nobody waits for a deadline."""
    made = parties(FED)
    silo = made.silos[whom]
    honest = silo.count
    none = np.full(60, -1, dtype=np.int64), np.zeros(60, dtype=np.int64)
    silo.count = lambda _lease, party: honest(none, party)
    talked = talk(made)
    for name in (ANALYST, P0, P1, P2):
        assert type(talked.errors[name]) is ReleaseRefused
        assert (talked.errors[name].party, talked.errors[name].field) == (whom, "lease")
    assert talked.errors[COORDINATOR] is None  # its part was over, and well
    assert not any(s.has_uploaded for s in made.silos.values())
    assert not any(parcel[0] == Round.UPLOAD for parcel in talked.parcels)
    assert talked.now < 1.0


def test_a_participant_without_its_persons_is_refused_before_it_joins():
    share = replace(FED.shares[P0], persons=None)
    with pytest.raises(DataInvalid):
        assemble_counted(FED.scenario, FED.roster, share, core(FED, P0))
