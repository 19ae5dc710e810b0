"""The analyst in the anchor round: it names whoever sends what cannot be passed on."""

from dataclasses import replace

import pytest
from testkit.faults import at
from testkit.federation import P0, P1, P2, federation, parties
from testkit.hostile import Insider, flipped
from testkit.network import rewrite, talk

from collude.common.errors import AnchorAborted, IdentityRefused
from collude.common.ids import ANALYST
from collude.common.protocol import messages as m

FED = federation()
INSIDER = Insider(FED, P1)
SHARE = (bytes(32), bytes(32))


def refused(hand, error):
    """P1 sends what cannot be passed on: it is told why, and the others go on without it."""
    talked = talk(parties(FED), hands={P1: hand})
    first = talked.parties.analyst.refused[0]
    assert (type(first), first.party) == (error, P1)
    assert (type(talked.errors[P1]), talked.errors[P1].party) == (error, P1)
    assert talked.errors[ANALYST] is talked.errors[P0] is talked.errors[P2] is None
    assert talked.parties.analyst.terms.left_out == (P1,)
    assert set(talked.parties.analyst.collected.uploads) == {P0, P2}
    assert not talked.parties.silos[P1].has_uploaded


@pytest.mark.parametrize("field", ["commitment", "signature"])
def test_a_commitment_that_its_party_did_not_sign_is_refused(field):
    refused(
        rewrite(m.AnchorCommit, lambda c: replace(c, **{field: flipped(getattr(c, field))})),
        IdentityRefused,
    )


def test_a_commitment_for_another_session_is_refused():
    change = INSIDER.sends(m.AnchorCommit, lambda *_: INSIDER.commit(bytes(32), *SHARE))
    refused(change, IdentityRefused)


ENVELOPES = {
    "one missing": lambda e: e[:1],
    "none": lambda e: (),
    "twice": lambda e: (*e, e[0]),
    "order": lambda e: e[::-1],
    "under another name": lambda e: at(e, 0, replace(e[0], sender=P2)),
    "to itself": lambda e: at(e, 0, replace(e[0], recipient=P1)),
    "to the analyst": lambda e: at(e, 0, replace(e[0], recipient=ANALYST)),
    "to a stranger": lambda e: at(e, 1, replace(e[1], recipient="participant-9")),
}


@pytest.mark.parametrize("change", ENVELOPES.values(), ids=ENVELOPES)
def test_other_envelopes_than_one_for_each_are_refused(change):
    hand = rewrite(m.AnchorReveal, lambda reveal: m.AnchorReveal(change(reveal.envelopes)))
    refused(hand, AnchorAborted)


@pytest.mark.parametrize("field", ["contributors", "seed_hash", "stream_hash", "signature"])
def test_a_confirmation_that_its_party_did_not_sign_is_refused(field):
    def changed(confirm):
        value = getattr(confirm, field)
        other = value[:-1] if field == "contributors" else flipped(value)
        return replace(confirm, **{field: other})

    refused(rewrite(m.AnchorConfirm, changed), IdentityRefused)


@pytest.mark.parametrize("kind", [m.AnchorCommit, m.AnchorReveal, m.AnchorConfirm])
def test_one_that_falls_silent_is_left_out(kind):
    talked = talk(parties(FED), hands={P1: rewrite(kind, lambda _: None)})
    assert talked.errors[ANALYST] is talked.errors[P0] is talked.errors[P2] is None
    assert talked.errors[P1].party == P1
    assert talked.parties.analyst.terms.left_out == (P1,)
    assert talked.parties.silos[P0].seed == talked.parties.silos[P2].seed


@pytest.mark.parametrize("kind", [m.AnchorCommit, m.AnchorReveal, m.AnchorConfirm])
def test_of_two_nobody_can_be_left_out(kind):
    talked = talk(parties(federation(p=2)), hands={P1: rewrite(kind, lambda _: None)})
    assert {error.party for error in talked.errors.values()} == {P1}
    assert not any(silo.has_uploaded for silo in talked.parties.silos.values())
