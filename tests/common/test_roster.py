"""The roster: whom it refuses, and that its hash covers every name, role and key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.common.errors import ScenarioInvalid
from collude.common.ids import Role
from collude.common.roster import Roster, format_key, parse_key


def key(number: int) -> bytes:
    return bytes([number]) * 32


KEYS = {"analyst": key(1), "participant-0": key(2), "participant-1": key(3)}


@pytest.mark.parametrize(
    "text",
    [
        "", "ed25519:", "ed25519:" + "0" * 63, "ed25519:" + "0" * 66, "ed25519:" + "g" * 64,
        "rsa:" + "0" * 64, "0" * 64, "ed25519:ed25519:" + "0" * 48,
    ],
)  # fmt: skip
def test_a_key_that_is_none_is_refused(text):
    with pytest.raises(ScenarioInvalid) as caught:
        parse_key(text, "participant-3")
    assert (caught.value.party, caught.value.field) == ("participant-3", "roster.participant-3")


@given(st.binary(min_size=32, max_size=32))
def test_a_key_comes_back(raw):
    assert parse_key(format_key(raw), "analyst") == raw


@pytest.mark.parametrize("name", ["", "Analyst", "participant_0", "-a", "a-", "ä", "a" * 64, "a\n"])
def test_a_name_that_is_no_dns_label_is_refused(name):
    with pytest.raises(ScenarioInvalid, match="DNS label"):
        Roster.of({name: key(1)})


def test_two_parties_with_one_key_are_refused():
    with pytest.raises(ScenarioInvalid, match="share one signing key"):
        Roster.of(KEYS | {"participant-2": KEYS["analyst"]})


def test_the_order_of_the_entries_does_not_matter():
    reverse = dict(reversed(KEYS.items()))
    assert Roster.of(reverse) == Roster.of(KEYS)
    assert Roster.of(reverse).hash == Roster.of(KEYS).hash


@pytest.mark.parametrize(
    "changed",
    [
        KEYS | {"participant-1": key(4)}, KEYS | {"participant-2": key(4)},
        {n: k for n, k in KEYS.items() if n != "participant-1"},
        KEYS | {"participant-0": KEYS["participant-1"], "participant-1": KEYS["participant-0"]},
    ],
    ids=["another key", "a Sybil", "one missing", "keys swapped"],
)  # fmt: skip
def test_any_other_roster_has_another_hash(changed):
    assert Roster.of(changed).hash != Roster.of(KEYS).hash


def test_roles_come_from_names():
    roster = Roster.of(KEYS | {"attacker": key(5), "coordinator": key(6), "museum": key(7)})
    assert roster.participants == ("museum", "participant-0", "participant-1")
    assert roster.names(Role.ANALYST) == ("analyst",)
    assert roster.names(Role.ATTACKER) == ("attacker",)
    assert roster.names(Role.COORDINATOR) == ("coordinator",)
    assert roster.keys["museum"] == key(7)
