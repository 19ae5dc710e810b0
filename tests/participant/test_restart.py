"""A restart that a participant follows, and every one that it does not."""

import pytest
from testkit.federation import P0, P1, P2, core, federation, parties
from testkit.network import by_analyst, talk

from collude.common.errors import ProtocolViolation
from collude.common.ids import ANALYST
from collude.common.protocol import messages as m
from collude.common.protocol.codec import encode_message
from collude.common.protocol.parcel import Outgoing
from collude.common.protocol.terms import MAX_RESTARTS
from collude.participant.restart import checked_restart

P3 = "participant-3"
FED = federation(p=4)
REFUSED = {
    "the same attempt": m.Restart(0, (P1,)),
    "an attempt skipped": m.Restart(2, (P1,)),
    "nobody left out": m.Restart(1, ()),
    "myself left out": m.Restart(1, (P0,)),
    "too few left": m.Restart(1, (P1, P2, P3)),
    "a stranger left out": m.Restart(1, ("participant-9",)),
    "the analyst left out": m.Restart(1, (ANALYST, P1)),
    "twice": m.Restart(1, (P1, P1)),
    "out of order": m.Restart(1, (P2, P1)),
}


@pytest.mark.parametrize("restart", REFUSED.values(), ids=REFUSED)
def test_a_restart_that_cannot_be_followed_is_refused(restart):
    with pytest.raises(ProtocolViolation) as caught:
        checked_restart(core(FED, P0), restart)
    assert (caught.value.party, caught.value.field) == (ANALYST, "restart")


@pytest.mark.parametrize(
    "restart", [m.Restart(2, (P1,)), m.Restart(2, (P2,)), m.Restart(2, ()), m.Restart(1, (P1, P2))]
)
def test_a_second_restart_must_leave_out_more_than_the_first(restart):
    known = checked_restart(core(FED, P0), m.Restart(1, (P1,)))
    with pytest.raises(ProtocolViolation):
        checked_restart(known, restart)
    assert checked_restart(known, m.Restart(2, (P1, P2))).terms.participants == (P0, P3)


def test_there_is_an_end_to_restarts():
    known = core(federation(p=8), P0)
    names = known.terms.participants[1:]
    for attempt in range(1, MAX_RESTARTS + 1):
        known = checked_restart(known, m.Restart(attempt, names[:attempt]))
    with pytest.raises(ProtocolViolation) as caught:
        checked_restart(known, m.Restart(MAX_RESTARTS + 1, names[: MAX_RESTARTS + 1]))
    assert str(MAX_RESTARTS) in caught.value.expected


def test_no_attempt_repeats_anothers_secrets():
    first = core(FED, P0)
    second = checked_restart(first, m.Restart(1, (P1,)))
    assert second.session_key.public != first.session_key.public
    for purpose in ("join-nonce", "anchor-share", "anchor-nonce", f"anchor-ephemeral/{P2}"):
        assert second.fresh(purpose) != first.fresh(purpose)
    assert second.signing_key is first.signing_key


@pytest.mark.parametrize("restart", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("kind", [m.AnchorCommits, m.AnchorReveals, m.AnchorConfirms])
def test_in_every_part_of_the_anchor_a_wrong_restart_ends_the_session(kind, restart):
    def instead(old, message):
        if not isinstance(message, kind) or old.receiver != P0:
            return [old]
        return [Outgoing(P0, old.round, old.session, encode_message(restart))]

    talked = talk(parties(FED), hands=by_analyst(instead))
    assert type(talked.errors[P0]) is ProtocolViolation
    assert talked.errors[P0].party == ANALYST
    assert not talked.parties.silos[P0].has_uploaded


@pytest.mark.parametrize("kind", [m.Welcome, m.UploadReceipt, m.Delivery, m.Finished])
def test_outside_the_anchor_a_restart_is_refused_and_changes_nothing(kind):
    def before(old, message):
        if not isinstance(message, kind) or old.receiver != P0:
            return [old]
        restart = encode_message(m.Restart(1, (P1,)))
        return [Outgoing(P0, old.round, old.session, restart), old]

    talked = talk(parties(FED), hands=by_analyst(before))
    assert set(talked.errors.values()) == {None}
    assert [e.got for e in talked.parties.participants[P0].refused] == ["Restart"]
