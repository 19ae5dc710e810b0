"""Arbitrary messages at arbitrary times: no session moves but along its table, and none breaks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testkit.examples import EXAMPLES
from testkit.federation import P0, P1, P2, core, federation, parties
from testkit.messages import ANY_MESSAGE
from testkit.network import talk

from collude.common.errors import ColludeError
from collude.common.ids import ANALYST, Round
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.parcel import Parcel
from collude.common.protocol.rounds import TERMINAL

FED = federation()
PARTIES = (ANALYST, P0, P1, P2)
STRANGERS = ("attacker", "participant-9")
ROUNDS = [r.value for r in Round]
HONEST = talk(parties(FED))


def honest_parcels(receiver) -> list[Parcel]:
    return HONEST.transcripts[receiver].parcels


def strays(receiver):
    """Parcels that may or may not belong: honest ones with one thing changed, and any others."""
    session = honest_parcels(receiver)[-1].session
    honest = st.sampled_from(honest_parcels(receiver))
    changes = st.one_of(
        st.builds(lambda s: {"session": s}, st.sampled_from([b"", bytes(32), session])),
        st.builds(lambda r: {"round": r}, st.sampled_from(ROUNDS)),
        st.builds(lambda s: {"sender": s}, st.sampled_from(PARTIES + STRANGERS)),
        st.builds(lambda x: {"body": encode_message(x)}, ANY_MESSAGE),
        st.builds(lambda x: {"body": x}, st.binary(max_size=60)),
        st.just({}),
    )  # fmt: skip
    return st.builds(lambda parcel, change: replace(parcel, **change), honest, changes)


def moves(session, before: Round, parcel: Parcel) -> None:
    """Check one step: it followed the table, or the session ended, or nothing has changed."""
    if session.round is before:
        return
    allowed = {to for (_, now, _), to in session._gate.table.items() if now is before}
    assert session.round in allowed, (before, session.round)
    if session.round is Round.ABORTED:
        assert session.error is not None
        return
    kind = type(decode_message(parcel.body))
    assert session._gate.table[session._gate.role, before, kind] is session.round


def fed_with(session, parcels) -> None:
    session.start(0.0)
    for parcel in parcels:
        before = session.round
        outgoing = session.receive(parcel, 1.0)
        moves(session, before, parcel)
        assert before not in TERMINAL or (session.round is before and not outgoing)
        for each in outgoing:
            decode_message(each.body)


@settings(max_examples=60)
@given(st.lists(strays(P0), max_size=12))
def test_a_participant_moves_along_its_table_only(parcels):
    fed_with(parties(FED).participants[P0], parcels)


@settings(max_examples=60)
@given(st.lists(strays(ANALYST), max_size=16))
def test_the_analyst_moves_along_its_table_only(parcels):
    fed_with(parties(FED).analyst, parcels)


def replayed(name, stray, position):
    """Give a session its honest parcels with a stray one put in, and return it."""
    session = parties(FED).named(name)
    session.start(0.0)
    parcels = honest_parcels(name)
    for parcel in [*parcels[:position], stray, *parcels[position:]]:
        while not session.finished and session._gate.works:
            session.expire(1.0)
        before = session.round
        session.receive(parcel, 1.0)
        moves(session, before, parcel)
    return session


STRAYS = {kind: encode_message(example) for kind, example in EXAMPLES.items()}


@pytest.mark.parametrize("name", [P0, ANALYST])
def test_a_message_that_is_not_awaited_changes_nothing_wherever_it_comes(name):
    """Every class at every point of an honest run: the run ends as if it had not come."""
    for position in range(len(honest_parcels(name))):
        for kind, body in STRAYS.items():
            like = honest_parcels(name)[position]
            session = parties(FED).named(name)
            awaited = kind in {m.Abort, type(decode_message(like.body))}
            restart = kind is m.Restart and like.round.startswith("r1")
            if awaited or restart:
                continue
            session = replayed(name, replace(like, body=body), position)
            assert (session.round, session.error) == (Round.DONE, None), (position, kind)
            assert len(session.refused) == 1


@settings(max_examples=60)
@given(data=st.data())
def test_no_stray_parcel_makes_a_run_end_wrongly_without_a_word(data):
    name = data.draw(st.sampled_from([P0, ANALYST]))
    position = data.draw(st.integers(0, len(honest_parcels(name)) - 1))
    session = replayed(name, data.draw(strays(name)), position)
    if session.round is Round.ABORTED:
        assert isinstance(session.error, ColludeError)
        assert session.error.party
    elif name == ANALYST and session.round is Round.DONE:
        assert np.array_equal(session.counts.counts, HONEST.parties.analyst.counts.counts)


def test_a_parcel_before_the_start_harms_nothing():
    for name in PARTIES:
        session = parties(FED).named(name)
        session.receive(honest_parcels(name)[0], 0.0)
        session.start(0.0)
        assert session.error is None


def test_expire_before_the_deadline_changes_nothing():
    for name in PARTIES:
        session = parties(FED).named(name)
        session.start(0.0)
        before = session.round
        assert session.expire(1.0) == []
        assert session.round is before
    assert core(FED, P0).terms.deadline_s > 1.0
