"""The anchor round again, without whoever did not do its part: how often, and with what result."""

from dataclasses import replace

import pytest
from testkit.federation import P0, P1, P2, federation, parties
from testkit.network import rewrite, talk

from collude.common.errors import AnchorAborted, DeadlineExceeded, SessionAborted
from collude.common.ids import ANALYST
from collude.common.net.fault_plan import FaultPlan
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.terms import MAX_RESTARTS

P3 = "participant-3"
FED = federation(p=4)
ANCHOR = [m.AnchorCommit, m.AnchorReveal, m.AnchorConfirm]


def quits(kind):
    """Sends, in place of its message, that it was interrupted."""

    def sends(old, message):
        if not isinstance(message, kind):
            return [old]
        abort = m.Abort(SessionAborted.code, "was interrupted", "", "", "", "", "")
        return [replace(old, body=encode_message(abort))]

    return sends


def went_on_without(talked, *gone):
    made = talked.parties
    stayed = {P0, P1, P2, P3} - set(gone)
    for name in {ANALYST, *stayed}:
        assert talked.errors[name] is None, (name, talked.errors[name])
    assert made.analyst.terms.left_out == gone
    assert set(made.analyst.collected.uploads) == stayed
    assert len({made.silos[name].seed for name in stayed}) == 1
    assert not any(made.silos[name].has_uploaded for name in gone)
    assert made.analyst.counts.total == 2 * len(stayed)


@pytest.mark.parametrize("kind", ANCHOR)
def test_the_last_revealer_or_anybody_else_that_falls_silent_is_left_out(kind):
    talked = talk(parties(FED), hands={P3: rewrite(kind, lambda _: None)})
    went_on_without(talked, P3)
    assert type(talked.errors[P3]) is DeadlineExceeded
    (reason,) = talked.parties.analyst.left_out.values()
    assert reason.party == P3


@pytest.mark.parametrize("kind", ANCHOR)
@pytest.mark.parametrize("seed", range(12))
def test_one_that_quits_is_left_out_however_late_the_others_messages_are(kind, seed):
    # Messages of the attempt that ended are still under way then. They are late, not wrong.
    plan = FaultPlan(delay=(0.01, 2.0))
    talked = talk(parties(FED), hands={P0: quits(kind)}, plan=plan, seed=seed)
    went_on_without(talked, P0)


def test_several_at_once_are_left_out_together():
    silent = rewrite(m.AnchorReveal, lambda _: None)
    talked = talk(parties(FED), hands={P0: silent, P2: silent})
    went_on_without(talked, P0, P2)
    assert talked.parties.analyst.terms.attempt == 1


def test_one_after_the_other_is_left_out():
    fed = federation(p=4)
    hands = {P0: rewrite(m.AnchorReveal, lambda _: None), P2: quits_in(1, m.AnchorConfirm)}
    talked = talk(parties(fed), hands=hands)
    went_on_without(talked, P0, P2)
    assert talked.parties.analyst.terms.attempt == 2


def quits_in(attempt, kind):
    """Falls silent in the anchor round of one attempt, counted by its joins."""
    joins = []

    def sends(old, message):
        if isinstance(message, m.Join):
            joins.append(message)
        return [] if isinstance(message, kind) and len(joins) == attempt + 1 else [old]

    return sends


def test_every_attempt_has_its_own_session_seed_and_share():
    fed = federation(p=4)
    first = talk(parties(fed))
    second = talk(parties(fed), hands={P3: rewrite(m.AnchorReveal, lambda _: None)})
    assert first.parties.silos[P0].seed != second.parties.silos[P0].seed
    commits = [decode_message(p.body) for p in second.received(ANALYST, m.AnchorCommit)]
    assert len({c.commitment for c in commits}) == len(commits) == 7
    assert len({p.session for p in second.received(ANALYST, m.AnchorCommit)}) == 2


def test_no_envelope_key_is_used_twice():
    talked = talk(parties(FED), hands={P3: rewrite(m.AnchorConfirm, lambda _: None)})
    reveals = [decode_message(p.body) for p in talked.received(ANALYST, m.AnchorReveal)]
    keys = [e.ephemeral_key for reveal in reveals for e in reveal.envelopes]
    assert len(set(keys)) == len(keys) == 4 * 3 + 3 * 2


def test_after_the_last_restart_the_session_ends_by_name():
    fed = federation(p=8)
    names = fed.scenario.participants
    hands = {names[i]: quits_in(i, m.AnchorReveal) for i in range(MAX_RESTARTS + 1)}
    talked = talk(parties(fed), hands=hands)
    last = names[MAX_RESTARTS]
    assert talked.parties.analyst.terms.attempt == MAX_RESTARTS
    for name in (ANALYST, *names[MAX_RESTARTS + 1 :]):
        assert type(talked.errors[name]) is DeadlineExceeded
        assert talked.errors[name].party == last
    assert not any(silo.has_uploaded for silo in talked.parties.silos.values())


def test_whoever_blames_another_ends_it_for_all():
    """Else a party could have another left out by its word alone."""

    def blames(old, message):
        if not isinstance(message, m.AnchorConfirm):
            return [old]
        abort = m.Abort(AnchorAborted.code, "does not match", P2, "commitment", "", "", "")
        return [replace(old, body=encode_message(abort))]

    talked = talk(parties(FED), hands={P1: blames})
    for name in (ANALYST, P0, P2, P3):
        assert (type(talked.errors[name]), talked.errors[name].party) == (AnchorAborted, P2)
        assert talked.errors[name].reason == f"does not match, says {P1}"
    assert talked.parties.analyst.terms.attempt == 0


@pytest.mark.parametrize("kind", [m.Join, m.Upload, m.Evaluation])
def test_outside_the_anchor_nobody_is_left_out(kind):
    talked = talk(parties(FED), hands={P1: quits(kind)})
    for name in (ANALYST, P0, P2, P3):
        assert type(talked.errors[name]) is SessionAborted
        assert talked.errors[name].party == P1
    assert talked.parties.analyst.terms.left_out == ()
