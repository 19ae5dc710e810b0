"""What is not in CoDef's table of rounds changes nothing, wherever and whenever it comes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testkit.examples import EXAMPLES
from testkit.messages import ANY_MESSAGE
from testkit.periods import COORDINATOR, Shape, federation, meet

from collude.common.errors import ColludeError
from collude.common.ids import Round
from collude.common.protocol import messages
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.codef_messages import Adapt
from collude.common.protocol.codef_rounds import AGGREGATION, SILO, SILO_SENDS

P1 = "participant-1"
SHAPE = Shape(silos=3, persons=4, epochs=2, periods=2)
HONEST = meet(federation(SHAPE), record=True)
BODIES = {kind: encode_message(example) for kind, example in EXAMPLES.items()}
ROUNDS = [each.value for each in Round]


def honest(name):
    return HONEST.transcripts[name].parcels


def fresh(name):
    session = federation(SHAPE).named(name)
    session.start(0.0)
    return session


def facts(session):
    """What came out of a session."""
    if session.name == COORDINATOR:
        return [[total.tolist() for total in book.sums] for book in session.books]
    return [[each.tolist() for each in lease] for lease in session.leases]


def untouched(session, strays):
    """Whether each stray parcel is refused, answered by nothing, and moves nothing."""
    before = session.round, session.deadline
    session.refused.clear()  # it keeps a thousand
    for stray in strays:
        assert session.receive(stray, 0.5) == [], stray
    assert (session.round, session.deadline) == before
    assert len(session.refused) == len(strays)
    return True


def replayed(name, strays_at):
    """Feed a session its honest parcels, with what `strays_at` gives before each of them."""
    session = fresh(name)
    for position, parcel in enumerate(honest(name)):
        assert untouched(session, strays_at(position, parcel, session))
        session.receive(parcel, 1.0)
    assert (session.round, session.error) == (Round.DONE, None)
    assert facts(session) == facts(HONEST.named(name))
    return session


def awaited(name, session):
    """Classes that the table has for where a session stands."""
    if name == COORDINATOR:
        return {SILO_SENDS[session.round]}
    return {kind for now, kind in SILO if now is session.round}


@pytest.mark.parametrize("name", [P1, COORDINATOR])
def test_every_class_that_is_not_in_the_table_changes_nothing(name):
    """Every entry that is absent, at every point of two periods."""
    seen = set()

    def strays(_, parcel, session):
        seen.add(session.round)
        known = awaited(name, session) | {messages.Abort}
        # The sender may have done its part already: then even the right class does not belong.
        return [replace(parcel, body=body) for kind, body in BODIES.items() if kind not in known]

    replayed(name, strays)
    # An open window and the first lease pass without a parcel in between.
    assert seen >= set(SILO_SENDS) - {Round.CODEF_ADAPT}


@pytest.mark.parametrize("name", [P1, COORDINATOR])
def test_another_session_round_or_sender_changes_nothing(name):
    def strays(_, parcel, session):
        others = [{"session": bytes(32)}, {"session": b"\1"}, {"sender": "attacker"}]
        others += [{"sender": "participant-9"}, {"body": b"\xff"}, {"body": b""}]
        rounds = [{"round": value} for value in ROUNDS if value != parcel.round]
        return [replace(parcel, **change) for change in others + rounds]

    replayed(name, strays)


@pytest.mark.parametrize("name", [P1, COORDINATOR])
def test_what_came_before_changes_nothing_when_it_comes_again(name):
    """Duplicates, and all that is late: of earlier rounds, epochs and periods."""

    def strays(position, parcel, session):
        before = honest(name)[:position]
        if name == P1 and session.round is Round.CODEF_JOIN:
            # A join has no session yet: an earlier welcome ends it, for my join is not in it.
            return [p for p in before if p.round != parcel.round]
        return before

    replayed(name, strays)


def test_a_lease_before_the_last_one_was_counted_changes_nothing():
    """Not even one that would be right later: until the heads are compared nobody leases."""
    adapts = [p for p in honest(P1) if isinstance(decode_message(p.body), Adapt)]

    def strays(_, parcel, session):
        early = [a for a in adapts if a.session == parcel.session or session.round in SETUP]
        return early if session.round not in {*AGGREGATION, Round.CODEF_ADAPT} else []

    replayed(P1, strays)


SETUP = (Round.CODEF_JOIN, Round.CODEF_KEY, Round.CODEF_CONFIRM)


# --- anything at any time --------------------------------------------------------------------


def strays_of(name):
    some = st.sampled_from(honest(name))
    changes = st.one_of(
        st.builds(lambda p: {"session": p.session}, some),
        st.builds(lambda r: {"round": r}, st.sampled_from(ROUNDS)),
        st.builds(lambda s: {"sender": s}, st.sampled_from([COORDINATOR, "participant-0", P1])),
        st.builds(lambda x: {"body": encode_message(x)}, ANY_MESSAGE),
        st.builds(lambda p: {"body": p.body}, some),
        st.builds(lambda x: {"body": x}, st.binary(max_size=60)),
        st.just({}),
    )
    return st.builds(lambda parcel, change: replace(parcel, **change), some, changes)


def leads_to(round_, kind):
    """Rounds that a silo may stand in after a message: it goes on by itself from a window."""
    to = SILO[round_, kind]
    return {to, Round.CODEF_COMMIT, Round.DONE, Round.CODEF_JOIN} if kind is Adapt else {to}


@settings(max_examples=80)
@given(st.lists(strays_of(P1), max_size=14))
def test_a_silo_moves_along_its_table_only(parcels):
    session = fresh(P1)
    for parcel in parcels:
        before = session.round
        session.receive(parcel, 1.0)
        if session.round is Round.ABORTED:
            assert isinstance(session.error, ColludeError)
            return
        if session.round is not before:
            assert session.round in leads_to(before, type(decode_message(parcel.body)))


@settings(max_examples=80)
@given(data=st.data())
def test_no_stray_parcel_ends_a_period_wrongly_without_a_word(data):
    name = data.draw(st.sampled_from([P1, COORDINATOR]))
    position = data.draw(st.integers(0, len(honest(name)) - 1))
    session, stray = fresh(name), data.draw(strays_of(name))
    for parcel in [*honest(name)[:position], stray, *honest(name)[position:]]:
        session.receive(parcel, 1.0)
    if session.round is Round.ABORTED:
        assert isinstance(session.error, ColludeError)
        assert session.error.party
        assert session.error.field or session.error.reason
    elif session.round is Round.DONE and name == COORDINATOR and not session.left:
        # A silo's counts may be another's only if it sent them itself.
        for book, right in zip(session.books, HONEST.coordinator.books, strict=True):
            for total, true in zip(book.sums, right.sums, strict=True):
                assert total.shape == true.shape
                assert np.array_equal(total, true)


def test_before_the_start_and_after_the_end_nothing_moves_anything():
    for name in (P1, COORDINATOR):
        session = federation(SHAPE).named(name)
        assert session.receive(honest(name)[0], 0.0) == []
        assert not session.finished
        ended = HONEST.named(name)
        for parcel in honest(name):
            assert ended.receive(parcel, 9.0) == []
        assert ended.expire(1e9) == []
        assert (ended.round, ended.error) == (Round.DONE, None)
