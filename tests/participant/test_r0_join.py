"""A participant's join: every way in which a `Welcome` can be wrong, planted one at a time."""

from dataclasses import replace

import pytest
from testkit.faults import at, ends, nothing_was_uploaded, resigned
from testkit.federation import P0, P1, P2, core, federation, parties
from testkit.network import by_analyst, rewrite, talk

from collude.common.errors import AnchorAborted, IdentityRefused, RosterMismatch
from collude.common.ids import ANALYST
from collude.common.protocol import messages as m
from collude.common.protocol.sealed import SessionKey
from collude.common.protocol.signing import SigningKey
from collude.participant.r0_join import JoinState
from collude.participant.session import ParticipantSession

FED = federation()
INDEX = {P0: 0, P1: 1, P2: 2}


def key(name):
    return FED.signing_key(name)


def refused(change, error, party, fed=FED):
    """Only P0 is shown the changed `Welcome`."""
    talked = ends(fed, by_analyst(rewrite(m.Welcome, change, to=P0)), error, party, by=P0)
    assert nothing_was_uploaded(talked.parties)
    return talked.errors[P0]


def shows(name, join_of):
    """Change the join of `name` within the `Welcome`."""

    def change(welcome):
        named = welcome.joins[INDEX[name]]
        return m.Welcome(at(welcome.joins, INDEX[name], replace(named, join=join_of(named.join))))

    return change


OTHER = {
    "roster_hash": bytes(32), "scenario_digest": bytes(32), "width": 9, "anchor_rows": 10,
    "attempt": 1,
}  # fmt: skip


@pytest.mark.parametrize("field", OTHER)
def test_another_participant_with_other_terms_is_refused_though_it_signed_them(field):
    change = shows(P2, lambda join: resigned(join, P2, key(P2), **{field: OTHER[field]}))
    error = refused(change, RosterMismatch, P2)
    assert error.field == field
    assert error.expected != error.got


@pytest.mark.parametrize("field", [*OTHER, "nonce", "session_key", "signature"])
def test_another_participants_join_altered_on_the_way_is_refused(field):
    value = OTHER.get(field, bytes(64 if field == "signature" else 32))
    refused(shows(P2, lambda join: replace(join, **{field: value})), IdentityRefused, P2)


@pytest.mark.parametrize("signer", [key(P1), key(ANALYST), SigningKey.from_bytes(bytes(32))])
def test_a_join_signed_by_another_key_is_refused(signer):
    change = shows(P2, lambda join: resigned(join, P2, signer, session_key=bytes(range(32))))
    refused(change, IdentityRefused, P2)


@pytest.mark.parametrize("field", [*OTHER, "nonce", "session_key", "signature"])
def test_my_own_join_altered_is_the_analysts_fault(field):
    value = OTHER.get(field, bytes(64 if field == "signature" else 32))
    error = refused(
        shows(P0, lambda join: replace(join, **{field: value})), IdentityRefused, ANALYST
    )
    assert error.field == f"joins.{P0}"


def test_an_earlier_join_of_mine_that_i_did_sign_is_refused():
    def earlier(join):
        return resigned(join, P0, key(P0), nonce=bytes(range(32)))

    refused(shows(P0, earlier), IdentityRefused, ANALYST)


def sybil(welcome):
    """One more participant, with a key of the analyst's choice."""
    signer = SigningKey.from_bytes(bytes(32))
    join = resigned(welcome.joins[0].join, "participant-3", signer)
    return m.Welcome((*welcome.joins, m.NamedJoin("participant-3", join)))


@pytest.mark.parametrize(
    "change",
    [
        sybil,
        lambda w: m.Welcome(w.joins[:2]),
        lambda w: m.Welcome(w.joins[:1]),
        lambda w: m.Welcome(()),
        lambda w: m.Welcome((*w.joins, w.joins[2])),
        lambda w: m.Welcome(w.joins[::-1]),
        lambda w: m.Welcome(at(w.joins, 2, w.joins[1])),
        lambda w: m.Welcome(at(w.joins, 2, replace(w.joins[2], name="participant-9"))),
    ],
    ids=["Sybil", "one missing", "me alone", "nobody", "twice", "order", "repeated", "renamed"],
)
def test_other_participants_than_the_pinned_ones_are_refused(change):
    error = refused(change, RosterMismatch, ANALYST)
    assert error.expected == f"{P0}, {P1}, {P2}"


def test_two_participants_with_their_joins_swapped_are_refused():
    def swapped(welcome):
        first, second, third = welcome.joins
        names = (first, replace(second, join=third.join), replace(third, join=second.join))
        return m.Welcome(names)

    refused(swapped, IdentityRefused, P1)


class LowOrder(SessionKey):
    """A key whose secret with anybody is zero."""

    public = bytes(32)


def test_a_session_key_of_low_order_is_refused_though_it_is_signed():
    made, hostile = parties(FED), core(FED, P2)
    object.__setattr__(hostile, "session_key", LowOrder(bytes(32)))
    made.participants[P2] = ParticipantSession(hostile, made.silos[P2])
    talked = ends(made, {}, AnchorAborted, P2, by=P0)
    assert talked.errors[P0].field == "session_key"
    assert nothing_was_uploaded(made)


# --- what is right --------------------------------------------------------------------------


def test_everybody_computes_the_same_session_and_no_two_runs_have_one():
    def sessions(fed):
        talked = talk(parties(fed))
        return {p.session for p in talked.received(ANALYST) if p.session} | {
            p.session for p in talked.received(P0) if p.session
        }

    assert len(sessions(FED)) == 1
    assert sessions(FED) == sessions(FED)
    assert len(sessions(FED) | sessions(federation(seed=2))) == 2


def test_the_analyst_cannot_choose_the_session():
    states = {name: JoinState(core(FED, name), 8, 9) for name in (P0, P1, P2)}
    joins = tuple(m.NamedJoin(n, state.opening()[0]) for n, state in states.items())
    joined = {state.receive(m.Welcome(joins)).session for state in states.values()}
    assert len(joined) == 1
    own = states[P0].opening()[0]
    assert own.nonce.hex() not in next(iter(joined)).hex()
