"""Join and handle key, silo's side: what it refuses of what the coordinator shows it."""

from dataclasses import replace

import pytest
from testkit.hostile import flipped
from testkit.periods import COORDINATOR, federation, meet
from testkit.periods_faults import P0, P1, P2, SMALL, between, silo_refuses

from collude.codef.ledger import aggregation_session
from collude.codef.period.join import CONFIRM_TAG, JOIN_TAG, confirm_items
from collude.codef.release import MemorySessions
from collude.common.errors import IdentityRefused, PeriodAborted, RosterMismatch, SessionUsed
from collude.common.ids import Round
from collude.common.protocol import codef_messages as m
from collude.common.protocol.codec import encode_message
from collude.common.protocol.sealed import Route, SessionKey, seal
from collude.participant.codef.c0_join import period_id


def without(name):
    return lambda joins: tuple(j for j in joins if j.name != name)


def joins(change):
    return lambda message: replace(message, joins=change(message.joins))


def altered(name, **parts):
    def change(named):
        return tuple(
            replace(j, join=replace(j.join, **{k: v(getattr(j.join, k)) for k, v in parts.items()}))
            if j.name == name
            else j
            for j in named
        )

    return joins(change)


@pytest.mark.parametrize(
    ("change", "error", "party", "field"),
    [
        (joins(without(P1)), PeriodAborted, COORDINATOR, "codef_join/joins"),
        (joins(lambda j: j[:2]), PeriodAborted, COORDINATOR, "codef_join/joins"),
        (joins(lambda j: j[::-1]), PeriodAborted, COORDINATOR, "codef_join/joins"),
        (joins(lambda j: (j[0], *j)), PeriodAborted, COORDINATOR, "codef_join/joins"),
        (joins(lambda _: ()), PeriodAborted, COORDINATOR, "codef_join/joins"),
        (altered(P1, nonce=flipped), IdentityRefused, COORDINATOR, "joins"),
        (altered(P0, nonce=flipped), IdentityRefused, P0, JOIN_TAG),
        (altered(P0, signature=flipped), IdentityRefused, P0, JOIN_TAG),
        (altered(P0, session_key=flipped), IdentityRefused, P0, JOIN_TAG),
        (altered(P0, commitment=flipped), IdentityRefused, P0, JOIN_TAG),
        (altered(P0, roster_hash=flipped), RosterMismatch, P0, "roster_hash"),
        (altered(P0, scenario_digest=flipped), RosterMismatch, P0, "scenario_digest"),
        (altered(P0, terms=flipped), RosterMismatch, P0, "terms"),
        (altered(P0, period=lambda p: p + 1), RosterMismatch, P0, "period"),
        (
            joins(lambda j: (replace(j[0], name="attacker"), *j[1:])),
            IdentityRefused, "attacker", "joins",
        ),
    ],
)  # fmt: skip
def test_joins_that_are_not_in_order_are_refused(change, error, party, field):
    silo_refuses(m.CodefWelcome, change, error, party, field)


def envelopes(change):
    return lambda message: replace(message, envelopes=change(message.envelopes))


def payload(change):
    return envelopes(lambda e: (replace(e[0], ciphertext=change(e[0].ciphertext)), *e[1:]))


@pytest.mark.parametrize(
    ("change", "party"),
    [
        (envelopes(lambda _: ()), COORDINATOR),
        (envelopes(lambda e: e[:1]), COORDINATOR),
        (envelopes(lambda e: e[::-1]), COORDINATOR),
        (envelopes(lambda e: (e[0], e[0], *e[2:])), COORDINATOR),
        (payload(flipped), P0),
        (envelopes(lambda e: (replace(e[0], recipient=P2), *e[1:])), P0),
        (envelopes(lambda e: (replace(e[0], ciphertext=e[1].ciphertext), *e[1:])), P0),
    ],
)
def test_envelopes_that_are_not_in_order_are_refused(change, party):
    silo_refuses(m.KeyReveals, change, PeriodAborted, party, "codef_key/envelopes")


def sealed_by(fed, sender, receiver, session, payload):
    """A well-sealed envelope, as only its sender can make it."""
    terms = fed.terms[0]
    key = SessionKey(fed.silos[receiver].core.fresh("session-key", terms)).public
    return seal(payload, Route(session, terms.roster.hash, sender, receiver, 0), key, bytes(32))


@pytest.mark.parametrize(
    "payload", [lambda s, n: flipped(s) + n, lambda s, n: s + flipped(n), lambda s, n: s + n + n]
)
def test_a_share_that_is_not_the_one_committed_to_is_refused(payload):
    """P0 reveals another share to P1 alone, so that P1 would hold another key."""
    fed = federation(SMALL)
    core = fed.silos[P0].core
    known = (core.fresh(purpose, fed.terms[0]) for purpose in ("key-share", "key-nonce"))
    lie = payload(*known)

    def sends(old, message):
        if not isinstance(message, m.KeyReveal):
            return [old]
        envelopes = tuple(
            sealed_by(fed, P0, P1, old.session, lie) if e.recipient == P1 else e
            for e in message.envelopes
        )
        return [replace(old, body=encode_message(m.KeyReveal(envelopes)))]

    meet(fed, hands={P0: between(sends)})
    error = fed.silos[P1].error
    assert (type(error), error.party, error.field) == (PeriodAborted, P0, "codef_key/commitment")


def confirms(change):
    return lambda message: replace(message, confirms=change(message.confirms))


def of(name, **parts):
    def change(named):
        return tuple(
            replace(c, confirm=replace(c.confirm, **{k: v(getattr(c.confirm, k)) for k, v in
                                                     parts.items()}))
            if c.name == name
            else c
            for c in named
        )  # fmt: skip

    return confirms(change)


@pytest.mark.parametrize(
    ("change", "error", "party", "field"),
    [
        (confirms(lambda _: ()), PeriodAborted, COORDINATOR, "codef_confirm/confirms"),
        (confirms(lambda c: c[:2]), PeriodAborted, COORDINATOR, "codef_confirm/confirms"),
        (confirms(lambda c: c[::-1]), PeriodAborted, COORDINATOR, "codef_confirm/confirms"),
        (confirms(without(P1)), PeriodAborted, COORDINATOR, "codef_confirm/confirms"),
        (of(P1, signature=flipped), PeriodAborted, COORDINATOR, "codef_confirm/confirms"),
        (of(P0, signature=flipped), IdentityRefused, P0, "codef/v1/key-confirm"),
        (of(P0, key_hash=flipped), IdentityRefused, P0, "codef/v1/key-confirm"),
        (of(P0, contributors=lambda c: c[:3]), IdentityRefused, P0, "codef/v1/key-confirm"),
        (
            confirms(lambda c: (replace(c[0], name="participant-9"), *c[1:])),
            PeriodAborted, COORDINATOR, "codef_confirm/confirms",
        ),
    ],
)  # fmt: skip
def test_confirmations_that_are_not_in_order_are_refused(change, error, party, field):
    silo_refuses(m.KeyConfirms, change, error, party, field)


def test_another_key_than_mine_is_refused_however_well_it_is_signed():
    fed = federation(SMALL)

    def sends(old, message):
        if not isinstance(message, m.KeyConfirm):
            return [old]
        hash_ = bytes(32)
        items = confirm_items(old.session, P0, message.contributors, hash_)
        signature = fed.keys[P0].sign(CONFIRM_TAG, *items)
        return [replace(old, body=encode_message(replace(message, key_hash=hash_,
                                                         signature=signature)))]  # fmt: skip

    meet(fed, hands={P0: between(sends)})
    for name in (P1, P2):
        error = fed.silos[name].error
        assert (type(error), error.party, error.field) == (
            PeriodAborted, P0, "codef_confirm/key_hash",
        )  # fmt: skip


def test_all_silos_hold_one_key_and_the_coordinator_none():
    fed = meet(federation(SMALL))
    keys = {session.book.key for session in fed.silos.values()}
    assert len(keys) == 1
    assert not hasattr(fed.coordinator.books[0], "key")


def test_the_session_is_a_hash_that_nobody_chose():
    """Another nonce of any one silo gives another session."""
    made = {meet(federation(replace(SMALL, seed=seed))).coordinator.books[0].session
            for seed in range(3)}  # fmt: skip
    assert len(made) == 3


def test_a_silo_that_was_restarted_stays_out_of_a_period_that_it_joined():
    used = {P1: MemorySessions()}
    first = meet(federation(SMALL, used=used))
    assert first.silos[P1].error is None
    again = federation(SMALL, used=used).silos[P1]
    told = again.start(0.0)
    assert (type(again.error), again.round) == (SessionUsed, Round.ABORTED)
    assert not told
    assert again.finished


def test_a_silo_that_was_restarted_in_the_middle_of_a_period_is_done_without():
    used = {P1: MemorySessions()}
    used[P1].use(period_id(federation(SMALL).terms[0], P1))
    fed = meet(federation(SMALL, used=used))
    assert fed.coordinator.round is Round.DONE
    assert P1 not in fed.coordinator.books[0].silos
    assert type(fed.silos[P1].error) is SessionUsed


def test_no_aggregation_is_entered_twice():
    """What a restart in the middle of one would be: the session is noted, and its keys are gone."""
    seen = MemorySessions()
    sessions = []

    class Keeps:
        def use(self, session):
            sessions.append(session)
            seen.use(session)

    fed = meet(federation(SMALL, used={P1: Keeps()}))
    assert fed.silos[P1].error is None
    assert len(sessions) == len(set(sessions)) == 1 + SMALL.epochs
    for epoch, phase in enumerate(fed.coordinator.books[0].ledger.phases):
        head = fed.coordinator.books[0].ledger.hash_at((epoch + 1) * SMALL.silos)
        assert aggregation_session(phase.entries[0].session, head) == sessions[1 + epoch]
    with pytest.raises(SessionUsed):
        seen.use(sessions[-1])
