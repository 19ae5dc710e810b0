"""A participant as adversary: it wants to choose A, to keep others from agreeing, or to be others.

Single planted faults stand in tests/participant and tests/analyst.
"""

from dataclasses import replace

import pytest
from testkit.faults import resigned
from testkit.federation import P0, P1, P2, core, federation, parties
from testkit.hostile import Insider
from testkit.network import rewrite, talk

from collude.common.errors import AnchorAborted, IdentityRefused, ProtocolViolation
from collude.common.ids import ANALYST
from collude.common.protocol import messages as m
from collude.common.protocol.anchor import COMMIT_TAG, commitment_to, joint_seed
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.parcel import Parcel
from collude.common.protocol.sealed import Route, open_sealed
from collude.common.protocol.signing import SigningKey

P3 = "participant-3"
FED = federation()
HONEST = talk(parties(FED))


def test_a_share_chosen_after_seeing_the_others_does_not_match_the_commitment():
    """The last revealer knows the seed it would get, and reveals another share for a better one."""
    insider = Insider(FED, P2)

    def chosen(session, message):
        payload = bytes(range(32)) + insider.nonce
        sealed = tuple(insider.envelope(session, s.recipient, payload) for s in message.envelopes)
        return m.AnchorReveal(sealed)

    talked = talk(parties(FED), hands={P2: insider.sends(m.AnchorReveal, chosen)})
    for name in (P0, P1, ANALYST):
        assert (type(talked.errors[name]), talked.errors[name].party) == (AnchorAborted, P2)
    assert not any(silo.has_uploaded for silo in talked.parties.silos.values())


def seed_it_would_have_got(fed, talked, name):
    """What a participant makes of the others' reveals, if the analyst shows them to it early."""
    known = core(fed, name)
    reveals = talked.received(ANALYST, m.AnchorReveal)
    session = reveals[0].session
    shares = {name: known.fresh("anchor-share")}
    first = [decode_message(p.body) for p in reveals if p.session == session]
    for sealed in (e for reveal in first for e in reveal.envelopes if e.recipient == name):
        route = Route(session, fed.roster.hash, sealed.sender, name, 0)
        shares[sealed.sender] = open_sealed(sealed, route, known.session_key)[:32]
    assert len(shares) == len(fed.scenario.participants)
    return joint_seed(session, shares)


def test_a_last_revealer_that_aborts_is_left_out_of_a_new_seed():
    """It buys one refusal: of the next seed it knows nothing, and has no share in it."""
    fed = federation(p=4)
    talked = talk(parties(fed), hands={P3: rewrite(m.AnchorReveal, lambda _: None)})
    refused_seed = seed_it_would_have_got(fed, talked, P3)
    honest = talk(parties(fed)).parties.silos[P0].seed
    assert refused_seed == honest  # it did know what it refused
    seeds = {talked.parties.silos[name].seed for name in (P0, P1, P2)}
    assert len(seeds) == 1
    assert seeds != {refused_seed}
    assert talked.parties.analyst.terms.left_out == (P3,)


def test_a_commitment_copied_from_another_cannot_be_opened():
    """Else a colluder could cancel a share by repeating it."""
    insider, other = Insider(FED, P2), Insider(FED, P0)

    def copy(session):
        copied = commitment_to(session, P0, other.nonce, other.share)
        signature = insider.core.signing_key.sign(COMMIT_TAG, session, P2, copied)
        return m.AnchorCommit(copied, signature)

    talked = talk(parties(FED), hands={P2: insider.liar(copy, other.share + other.nonce)})
    for name in (P0, P1, ANALYST):
        assert (type(talked.errors[name]), talked.errors[name].party) == (AnchorAborted, P2)
        assert talked.errors[name].field == "commitment"
    assert not any(silo.has_uploaded for silo in talked.parties.silos.values())


# --- being somebody else --------------------------------------------------------------------


AGREEMENT = [m.Join, m.AnchorCommit, m.AnchorReveal, m.AnchorConfirm]
SIGNED = [*AGREEMENT, m.Upload, m.Evaluation]


@pytest.mark.parametrize("kind", SIGNED)
def test_the_message_of_another_under_the_own_certificate_is_refused(kind):
    """The link says P2, the message is P1's: it counts for neither."""
    honest = {p.sender: p for p in HONEST.received(ANALYST, kind)}
    session = parties(FED).analyst
    session.start(0.0)
    for parcel in HONEST.transcripts[ANALYST].parcels:
        if parcel == honest[P0]:
            break
        session.receive(parcel, 0.0)
        while session._gate.works:
            session.expire(0.0)
    stands, missing = session.round, session.missing
    session.receive(replace(honest[P1], sender=P2), 1.0)
    assert (session.round, session.missing) == (stands, missing)
    (error,) = session.refused
    assert error.party == P2
    assert isinstance(error, IdentityRefused | AnchorAborted)
    session.receive(honest[P1], 1.0)
    session.receive(honest[P2], 1.0)
    assert session.missing == (P0,)


@pytest.mark.parametrize("kind", [m.Upload, m.Evaluation])
def test_a_message_of_nobody_who_takes_part_is_refused(kind):
    session = parties(FED).analyst
    session.start(0.0)
    for parcel in HONEST.transcripts[ANALYST].parcels:
        if parcel in HONEST.received(ANALYST, kind):
            break
        session.receive(parcel, 0.0)
        while session._gate.works:
            session.expire(0.0)
    mine = HONEST.received(ANALYST, kind)[0]
    for stranger in ("attacker", ANALYST):
        session.receive(replace(mine, sender=stranger), 1.0)
    assert session.missing == (P0, P1, P2)
    assert [type(e) for e in session.refused] == [ProtocolViolation] * 2


def test_a_sybil_is_no_member_whatever_key_it_has():
    key = SigningKey.from_bytes(bytes(range(32)))
    session = parties(FED).analyst
    session.start(0.0)
    honest = HONEST.received(ANALYST, m.Join)[0]
    join = resigned(decode_message(honest.body), P3, key, nonce=bytes(32))
    for name in (P3, P1):
        parcel = replace(honest, sender=name, body=encode_message(join))
        told = session.receive(parcel, 0.0)
        assert [o.receiver for o in told] == ([P1] if name == P1 else [])
    assert session.missing == (P0, P1, P2)
    kinds = [type(error) for error in session.refused]
    assert kinds == [ProtocolViolation, IdentityRefused]


# --- other sessions -------------------------------------------------------------------------


@pytest.mark.parametrize("name", [P0, ANALYST])
def test_a_whole_session_replayed_in_another_one_moves_nothing(name):
    """The same parties meet again, and somebody sends all that was received last time."""
    later = parties(FED, occasion=1).named(name)
    later.start(0.0)
    for parcel in HONEST.transcripts[name].parcels:
        later.receive(parcel, 1.0)
    if name == P0:
        # Its own old join comes back signed by itself, and is not the one it sent now.
        assert (type(later.error), later.error.party) == (IdentityRefused, ANALYST)
        assert not later._silo.has_uploaded


@pytest.mark.parametrize("kind", AGREEMENT)
@pytest.mark.parametrize("name", [P1, P2])
def test_an_old_message_does_not_stand_in_for_a_new_one(name, kind):
    """An old join is rightly signed, but makes another session than its sender takes part in."""
    old = next(p.body for p in HONEST.received(ANALYST, kind) if p.sender == name)

    def replays(outgoing, message):
        return [replace(outgoing, body=old) if isinstance(message, kind) else outgoing]

    made = parties(FED, occasion=1)
    talked = talk(made, hands={name: replays})
    assert talked.errors[name] is not None
    assert not made.silos[name].has_uploaded
    assert made.analyst.collected is None or name not in made.analyst.collected.uploads


def test_a_replay_in_the_same_session_counts_once():
    session = parties(FED).analyst
    session.start(0.0)
    again: list[Parcel] = []
    for parcel in HONEST.transcripts[ANALYST].parcels:
        while session._gate.works:
            session.expire(0.0)
        for old in again:
            session.receive(old, 0.0)
        session.receive(parcel, 0.0)
        again.append(parcel)
    assert session.error is None
    assert session.counts.total == HONEST.parties.analyst.counts.total
    assert session.collected.uploads == HONEST.parties.analyst.collected.uploads
