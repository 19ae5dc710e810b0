"""The analyst's session as a whole: who is told what, and what changes nothing."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.examples import EXAMPLES
from testkit.federation import P0, P1, P2, federation, parties
from testkit.network import rewrite, talk

from collude.common.errors import DeadlineExceeded, ProtocolViolation, SessionAborted
from collude.common.ids import ANALYST, Round
from collude.common.methods import METHODS
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.parcel import Parcel

FED = federation()
HONEST = talk(parties(FED))
BEFORE_THE_LAST = {m.Join, m.AnchorCommit, m.AnchorReveal}
"""After these the anchor round has still something to wait for."""
TAKEN = [m.Join, m.AnchorCommit, m.AnchorReveal, m.AnchorConfirm, m.Upload, m.Evaluation]


def letter(message, sender=P0, **changes) -> Parcel:
    values = {"session": b"", "round": "r0_join", "receiver": ANALYST, "sequence": 0}
    return Parcel(sender=sender, **(values | changes), body=encode_message(message))


def started():
    session = parties(FED).analyst
    session.start(0.0)
    return session


@pytest.mark.parametrize("kind", TAKEN)
def test_whoever_sends_twice_is_told_and_ends_and_the_others_do_not_mix_up(kind):
    """A participant that keeps to the protocol never does; over a bad link the mailbox hides it."""
    hand = rewrite(kind, lambda message: (message, message))
    made = parties(FED)
    talked = talk(made, hands={P1: hand})
    # What the others had under way when P1 ended its part is late, and noted too.
    assert (ProtocolViolation, P1) in {(type(e), e.party) for e in made.analyst.refused}
    assert type(talked.errors[P1]) is ProtocolViolation
    assert made.silos[P0].seed == made.silos[P2].seed
    assert made.analyst.terms.left_out == ((P1,) if kind in BEFORE_THE_LAST else ())


@pytest.mark.parametrize("kind", TAKEN)
def test_the_first_of_two_is_kept(kind):
    session = started()
    for parcel in HONEST.transcripts[ANALYST].parcels:
        while session._gate.works:
            session.expire(0.0)
        session.receive(parcel, 0.0)
        if isinstance(decode_message(parcel.body), kind) and parcel.sender == P1:
            kept, missing = session._received.get(P1), session.missing
            session.receive(replace(parcel, body=encode_message(EXAMPLES[kind])), 0.0)
            assert session._received.get(P1) is kept
            assert session.missing == missing


@pytest.mark.parametrize("kind", TAKEN)
def test_one_that_falls_silent_is_named(kind):
    talked = talk(parties(FED), hands={P1: rewrite(kind, lambda _: None)})
    anchor = kind in {m.AnchorCommit, m.AnchorReveal, m.AnchorConfirm}
    reason = talked.parties.analyst.left_out[1] if anchor else talked.errors[ANALYST]
    assert type(reason) is DeadlineExceeded
    assert reason.party == P1
    assert talked.parties.analyst.finished


def test_it_is_told_by_the_refused_one_alone():
    session = started()
    told = session.receive(letter(EXAMPLES[m.Join]), 0.0)
    assert [(o.receiver, type(decode_message(o.body))) for o in told] == [(P0, m.Abort)]
    assert session.missing == (P0, P1, P2)


@pytest.mark.parametrize("sender", ["attacker", "participant-9", ANALYST])
def test_a_stranger_is_noted_and_told_nothing(sender):
    session = started()
    assert session.receive(letter(EXAMPLES[m.Abort], sender), 0.0) == []
    assert session.receive(letter(EXAMPLES[m.Join], sender), 0.0) == []
    assert session.error is None
    assert [e.party for e in session.refused] == [sender, sender]


def test_an_abort_ends_it_for_all_others():
    session = started()
    told = session.receive(letter(m.Abort("E-ABORTED", "stops", P0, "", "", "", "")), 0.0)
    assert {o.receiver for o in told} >= {P1, P2}
    assert (type(session.error), session.error.party) == (SessionAborted, P0)


def test_giving_up_tells_everybody_once():
    session = started()
    told = session.give_up(SessionAborted("was interrupted", party=ANALYST), 1.0)
    assert [o.receiver for o in told] == [P0, P1, P2]
    assert session.give_up(SessionAborted("again"), 2.0) == []
    assert session.expire(1e9) == []


@pytest.mark.parametrize("name", [P0, P1, P2])
def test_each_is_answered_with_what_is_for_it_alone(name):
    for kind, field in ((m.AnchorReveals, "recipient"), (m.Delivery, None)):
        (mine,) = (decode_message(p.body) for p in HONEST.received(name, kind))
        if field:
            assert {e.recipient for e in mine.envelopes} == {name}
    deliveries = [decode_message(HONEST.received(n, m.Delivery)[0].body) for n in (P0, P1, P2)]
    rotations = [d.alignment.rotation for d in deliveries]
    assert not np.array_equal(rotations[0], rotations[1])
    assert deliveries[0].architecture == deliveries[1].architecture


def test_the_order_of_arrival_changes_nothing():
    """Everybody's messages of each round, backwards."""
    session = parties(FED).analyst
    session.start(0.0)
    parcels = HONEST.transcripts[ANALYST].parcels
    rounds = list(dict.fromkeys(p.round for p in parcels))
    sent = []
    for round_ in rounds:
        for parcel in [p for p in parcels if p.round == round_][::-1]:
            sent += session.receive(parcel, 0.0)
            while session._gate.works:
                sent += session.expire(0.0)
    assert session.round is Round.DONE
    honest = {(p.receiver, p.body) for n in (P0, P1, P2) for p in HONEST.received(n)}
    assert {(o.receiver, o.body) for o in sent} == honest


def test_learning_is_a_step_of_its_own():
    """So that the last upload is acknowledged before the analyst computes."""
    session = parties(FED).analyst
    session.start(0.0)
    for parcel in HONEST.transcripts[ANALYST].parcels:
        if parcel.round == Round.EVALUATE:
            break
        last = session.receive(parcel, 0.0)
    assert [type(decode_message(o.body)) for o in last] == [m.UploadReceipt]
    assert session.round is Round.ALIGN
    assert session.learned is None
    assert session.expire(0.0) == []
    assert (session.round, session.learned is not None) == (Round.DELIVER, True)
    assert {o.receiver for o in session.expire(0.0)} == {P0, P1, P2}


@pytest.mark.parametrize("method", METHODS)
def test_nobody_waits_for_ever(method):
    """In each round everybody but the analyst is gone: it ends by its own deadline."""
    honest = talk(parties(federation(method)))
    for stop in range(len(honest.transcripts[ANALYST].parcels)):
        session, now = parties(federation(method)).analyst, 0.0
        session.start(now)
        for parcel in honest.transcripts[ANALYST].parcels[:stop]:
            while session._gate.works:
                session.expire(now)
            session.receive(parcel, now)
        for _ in range(10):
            if session.deadline is None:
                break
            now = session.deadline
            session.expire(now)
        assert session.round is Round.ABORTED
        assert type(session.error) is DeadlineExceeded
        assert session.error.party
