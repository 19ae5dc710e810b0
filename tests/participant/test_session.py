"""A participant's session as a whole: what reaches it out of turn changes nothing."""

import pytest
from testkit.examples import EXAMPLES
from testkit.federation import P0, P1, core, federation, parties, silo
from testkit.network import by_analyst, rewrite, talk

from collude.common.errors import DeadlineExceeded, ProtocolViolation, SessionAborted
from collude.common.ids import ANALYST, Round
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.parcel import Parcel
from collude.participant.session import MOST_REFUSED, ParticipantSession

FED = federation()


def session() -> ParticipantSession:
    return ParticipantSession(core(FED, P0), silo(FED, P0))


def letter(message, **changes) -> Parcel:
    values = {"session": b"", "round": "r0_join", "sender": ANALYST, "receiver": P0, "sequence": 0}
    return Parcel(**(values | changes), body=encode_message(message))


def test_before_it_starts_it_has_sent_nothing_and_waits_for_nothing():
    made = session()
    assert made.deadline is None
    assert not made.finished
    assert made.round is Round.JOIN


def test_an_analyst_that_sends_only_what_does_not_belong_is_left():
    """Each such message is noted and kept: without an end it could keep a participant for ever."""
    made = session()
    made.start(0.0)
    for number in range(MOST_REFUSED):
        assert made.receive(letter(m.Finished(3), sequence=number), 1.0) == []
    assert not made.finished
    (told,) = made.receive(letter(m.Finished(3), sequence=MOST_REFUSED), 1.0)
    assert isinstance(decode_message(told.body), m.Abort)
    assert (type(made.error), made.error.party) == (ProtocolViolation, ANALYST)


def test_the_deadline_ends_it_and_not_before():
    made = session()
    made.start(5.0)
    assert made.deadline == 35.0
    assert made.expire(34.9) == []
    assert not made.finished
    (told,) = made.expire(35.0)
    assert type(made.error) is DeadlineExceeded
    assert made.error.party == ANALYST
    assert decode_message(told.body).code == DeadlineExceeded.code
    assert (made.round, made.deadline) == (Round.ABORTED, None)


def test_after_the_end_nothing_moves_it():
    made = session()
    made.start(0.0)
    made.give_up(SessionAborted("was interrupted", party=P0), 1.0)
    ended = made.error
    assert made.give_up(SessionAborted("again", party=P0), 2.0) == []
    assert made.expire(1e9) == []
    for message in EXAMPLES.values():
        assert made.receive(letter(message), 3.0) == []
    assert made.error is ended


def test_what_does_not_belong_is_noted_and_not_answered():
    made = session()
    made.start(0.0)
    state = dict(vars(made._gate)), made._state
    others = [message for kind, message in EXAMPLES.items() if kind not in {m.Welcome, m.Abort}]
    others = others[: MOST_REFUSED - 3]  # one more, and it would leave
    for message in others:
        assert made.receive(letter(message), 1.0) == []
    for changes in ({"sender": P1}, {"session": bytes(32)}, {"round": "r1_anchor_commit"}):
        assert made.receive(letter(EXAMPLES[m.Welcome], **changes), 1.0) == []
    assert len(made.refused) == len(others) + 3
    assert (vars(made._gate), made._state) == state


def test_an_abort_ends_it_with_the_senders_reason_and_is_not_answered():
    made = session()
    made.start(0.0)
    abort = m.Abort("E-DEADLINE", "did not come", P1, "deadline_s", "", "", "")
    assert made.receive(letter(abort), 1.0) == []
    assert (type(made.error), made.error.party) == (DeadlineExceeded, P1)


def test_another_participants_abort_is_not_believed():
    made = session()
    made.start(0.0)
    made.receive(letter(EXAMPLES[m.Abort], sender=P1), 1.0)
    assert made.error is None


KINDS = [
    m.Welcome, m.AnchorCommits, m.AnchorReveals, m.AnchorConfirms, m.UploadReceipt, m.Delivery,
    m.Finished,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_that_comes_twice_is_refused_the_second_time(kind):
    hands = by_analyst(rewrite(kind, lambda message: (message, message), to=P0))
    talked = talk(parties(FED), hands=hands)
    assert set(talked.errors.values()) == {None}
    noted = talked.parties.participants[P0].refused
    # After the last message the session is over, and the network hands it nothing more.
    assert len(noted) == (0 if kind is m.Finished else 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_that_never_comes_ends_everybody_by_name(kind):
    talked = talk(parties(FED), hands=by_analyst(rewrite(kind, lambda _: None, to=P0)))
    found = talked.errors[P0]
    assert type(found) is DeadlineExceeded
    assert found.party in {ANALYST, P0}
    assert all(session.finished for session in talked.parties.sessions)


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_of_another_session_never_counts(kind):
    def elsewhere(old, message):
        if not isinstance(message, kind) or old.receiver != P0:
            return [old]
        return [type(old)(old.receiver, old.round, bytes(range(32)), old.body), old]

    talked = talk(parties(FED), hands=by_analyst(elsewhere))
    assert set(talked.errors.values()) == {None}
    assert [e.field for e in talked.parties.participants[P0].refused] == ["session"]
