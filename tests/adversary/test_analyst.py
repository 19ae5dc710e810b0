"""The analyst as adversary in r0 and r1: it carries every message and wants to know or choose A.

Real participants; a hand at the analyst rewrites what it passes on. Single planted faults stand
in tests/participant; here the analyst has a plan, and sometimes a colluding participant.
"""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testkit.faults import at, resigned
from testkit.federation import P0, P1, P2, federation, parties
from testkit.hostile import Insider
from testkit.network import by_analyst, rewrite, talk

from collude.common.errors import AnchorAborted, ColludeError, IdentityRefused
from collude.common.ids import ANALYST
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.parcel import Outgoing
from collude.common.protocol.sealed import Route, SessionKey, open_sealed

P3 = "participant-3"
FED = federation()
HONEST = talk(parties(FED))
CARRIED = [m.Welcome, m.AnchorCommits, m.AnchorReveals, m.AnchorConfirms]


class Fork:
    """Shows P1 another commitment and share of the colluder P2 than it shows P0."""

    def __init__(self):
        self.colluder = Insider(FED, P2)
        self.share = bytes(range(32))
        self.nonce = bytes(32)

    def __call__(self, old: Outgoing, message) -> list[Outgoing]:
        changes = {m.AnchorCommits: self.commits, m.AnchorReveals: self.reveals}
        if old.receiver != P1 or type(message) not in changes:
            return [old]
        changed = changes[type(message)](old.session, message)
        return [replace(old, body=encode_message(changed))]

    def commits(self, session, message):
        commit = self.colluder.commit(session, self.share, self.nonce)
        return m.AnchorCommits(at(message.commits, 2, m.NamedAnchorCommit(P2, commit)))

    def reveals(self, session, message):
        sealed = self.colluder.envelope(session, P1, self.share + self.nonce)
        return m.AnchorReveals(at(message.envelopes, 1, sealed))


def test_a_fork_with_a_colluders_help_shows_in_the_confirmations():
    talked = talk(parties(FED), hands=by_analyst(Fork()))
    assert (type(talked.errors[P0]), talked.errors[P0].field) == (AnchorAborted, "seed_hash")
    assert (type(talked.errors[P1]), talked.errors[P1].field) in {
        (AnchorAborted, "seed_hash"), (AnchorAborted, talked.errors[P0].field)
    }  # fmt: skip
    assert not talked.parties.silos[P0].has_uploaded
    assert not talked.parties.silos[P1].has_uploaded


def test_two_welcomes_make_two_sessions_and_no_seed_in_common():
    """The colluder P2 signs a second join, for P1 alone."""

    def forked(welcome):
        key = FED.signing_key(P2)
        second = resigned(welcome.joins[2].join, P2, key, nonce=bytes(range(32)))
        return m.Welcome(at(welcome.joins, 2, m.NamedJoin(P2, second)))

    talked = talk(parties(FED), hands=by_analyst(rewrite(m.Welcome, forked, to=P1)))
    made = talked.parties
    assert talked.errors[P1] is not None
    assert not made.silos[P1].has_uploaded
    assert len({s.seed for s in made.silos.values() if s.has_uploaded}) <= 1


def test_a_fork_cannot_be_hidden_with_the_confirmations_at_hand():
    """Whichever of the confirmations it shows, none says what the other side holds."""

    class Hidden(Fork):
        def __call__(self, old, message):
            if not isinstance(message, m.AnchorConfirms):
                return super().__call__(old, message)
            mine = next(c for c in message.confirms if c.name == old.receiver)
            same = tuple(replace(c, confirm=mine.confirm) for c in message.confirms)
            return [replace(old, body=encode_message(m.AnchorConfirms(same)))]

    talked = talk(parties(FED), hands=by_analyst(Hidden()))
    for name in (P0, P1):
        assert type(talked.errors[name]) is IdentityRefused
        assert not talked.parties.silos[name].has_uploaded


@pytest.mark.parametrize("kind", CARRIED)
@pytest.mark.parametrize("victim", [P0, P1, P2])
def test_withholding_a_message_keeps_its_receiver_from_uploading(kind, victim):
    talked = talk(parties(FED), hands=by_analyst(rewrite(kind, lambda _: None, to=victim)))
    assert not talked.parties.silos[victim].has_uploaded
    assert all(s.finished for s in talked.parties.sessions)


def test_a_restart_that_the_participants_did_not_need_gives_two_groups_and_no_mixture():
    """The analyst may always leave parties out, up to K times; nobody takes two seeds for one."""
    fed = federation(p=4)
    groups = {P0: (P2, P3), P1: (P2, P3), P2: (P0, P1), P3: (P0, P1)}

    def splits(old, message):
        if not isinstance(message, m.AnchorCommits):
            return [old]
        restart = m.Restart(1, groups[old.receiver])
        return [Outgoing(old.receiver, old.round, old.session, encode_message(restart))]

    talked = talk(parties(fed), hands=by_analyst(splits))
    assert not any(silo.has_uploaded for silo in talked.parties.silos.values())
    assert all(isinstance(error, ColludeError) for error in talked.errors.values())


REPLACED = {m.Welcome: "r0", m.AnchorCommits: "r1", m.AnchorReveals: "r1", m.AnchorConfirms: "r1"}


@pytest.mark.parametrize("kind", REPLACED)
def test_a_message_of_an_earlier_run_does_not_count(kind):
    """The same parties meet again, with the same keys and the same scenario."""
    earlier = next(p for p in HONEST.received(P0, kind))

    def replays(old, message):
        if not isinstance(message, kind) or old.receiver != P0:
            return [old]
        return [replace(old, body=earlier.body)]

    talked = talk(parties(FED, occasion=1), hands=by_analyst(replays))
    assert talked.errors[P0] is not None
    assert not talked.parties.silos[P0].has_uploaded


BODIES = [(p.round, p.body) for p in HONEST.received(P0) if p.round[:2] in {"r0", "r1"}]


@settings(max_examples=150)
@given(st.integers(0, len(BODIES) - 1), st.integers(min_value=0), st.integers(0, 7))
def test_no_flipped_bit_in_any_message_of_the_agreement_lets_its_receiver_upload(which, at_, bit):
    round_, body = BODIES[which]
    changed = bytearray(body)
    changed[at_ % len(body)] ^= 1 << bit
    session = parties(FED).participants[P0]
    silo = session._silo
    session.start(0.0)
    for parcel in HONEST.received(P0):
        same = (parcel.round, parcel.body) == (round_, body)
        session.receive(replace(parcel, body=bytes(changed)) if same else parcel, 1.0)
    assert not silo.has_uploaded
    assert session.refused or session.error


def test_what_the_analyst_received_opens_none_of_the_envelopes():
    """Not even with every public key, and the keys that it made up itself."""
    reveals = HONEST.received(ANALYST, m.AnchorReveal)
    for parcel in reveals:
        for sealed in decode_message(parcel.body).envelopes:
            route = Route(parcel.session, FED.roster.hash, sealed.sender, sealed.recipient, 0)
            with pytest.raises(AnchorAborted):
                open_sealed(sealed, route, SessionKey(bytes(range(32))))
