"""The analyst's join: what it refuses from one participant, and what ends it for all."""

from dataclasses import replace

import pytest
from testkit.faults import resigned
from testkit.federation import P0, P1, P2, federation, parties
from testkit.hostile import flipped
from testkit.network import rewrite, talk

from collude.common.errors import DeadlineExceeded, IdentityRefused, RosterMismatch
from collude.common.ids import ANALYST
from collude.common.protocol import messages as m
from collude.common.protocol.signing import SigningKey

FED = federation()
KEY = FED.signing_key(P1)


def refused(change, error):
    """P1 sends a changed join: it is told why and ends its part; the others hear why at once."""
    talked = talk(parties(FED), hands={P1: rewrite(m.Join, change)})
    (first, *_) = talked.parties.analyst.refused
    assert (type(first), first.party) == (error, P1)
    assert (type(talked.errors[P1]), talked.errors[P1].party) == (error, P1)
    for name in (ANALYST, P0, P2):
        assert (type(talked.errors[name]), talked.errors[name].party) == (error, P1)
    assert talked.network.now < FED.scenario.network.deadline_s / 2
    assert talked.received(P0, m.Welcome) == []
    return first


@pytest.mark.parametrize(
    ("field", "value"), [("roster_hash", bytes(32)), ("scenario_digest", bytes(32)), ("attempt", 1)]
)
def test_other_terms_are_refused_and_both_values_named(field, value):
    error = refused(lambda join: resigned(join, P1, KEY, **{field: value}), RosterMismatch)
    assert error.field == field
    assert error.got == (value.hex() if isinstance(value, bytes) else str(value))
    assert error.expected not in {None, error.got}


@pytest.mark.parametrize("field", ["width", "anchor_rows", "nonce", "session_key", "signature"])
def test_a_join_that_its_party_did_not_sign_is_refused(field):
    def changed(join):
        value = getattr(join, field)
        return replace(join, **{field: value + 1 if isinstance(value, int) else flipped(value)})

    refused(changed, IdentityRefused)


@pytest.mark.parametrize("name", [P0, ANALYST])
def test_a_join_signed_with_somebody_elses_key_is_refused(name):
    refused(lambda join: resigned(join, P1, FED.signing_key(name)), IdentityRefused)


def test_a_join_signed_with_a_new_key_is_refused():
    refused(lambda join: resigned(join, P1, SigningKey.from_bytes(bytes(32))), IdentityRefused)


def test_the_join_of_another_participant_is_refused():
    fed, joins = FED, {}

    def stolen(join):
        joins[P0] = resigned(join, P0, fed.signing_key(P0))
        return joins[P0]

    refused(stolen, IdentityRefused)


@pytest.mark.parametrize("field", ["width", "anchor_rows"])
@pytest.mark.parametrize("odd", [P0, P1, P2])
def test_the_one_with_another_width_or_anchor_than_most_ends_it_by_name(odd, field):
    def other(join):
        return resigned(join, odd, FED.signing_key(odd), **{field: 12})

    talked = talk(parties(FED), hands={odd: rewrite(m.Join, other)})
    for error in talked.errors.values():
        assert (type(error), error.party, error.field) == (RosterMismatch, odd, field)
        assert error.got == "12"


@pytest.mark.parametrize("late", [P0, P1, P2])
def test_one_that_never_comes_is_named_to_all_others(late):
    talked = talk(parties(FED), late=[late])
    for name in {ANALYST, P0, P1, P2} - {late}:
        assert type(talked.errors[name]) is DeadlineExceeded
        assert talked.errors[name].party == late
    assert talked.network.now <= FED.scenario.network.deadline_s


def test_all_that_never_come_are_named():
    talked = talk(parties(FED), late=[P0, P2])
    assert talked.errors[P1].party == f"{P0}, {P2}"


def test_without_an_analyst_every_participant_ends_by_itself():
    talked = talk(parties(FED), late=[ANALYST])
    for name in (P0, P1, P2):
        assert type(talked.errors[name]) is DeadlineExceeded
        assert talked.errors[name].party == ANALYST
