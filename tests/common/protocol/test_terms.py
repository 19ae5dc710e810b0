"""What a session's parties must run alike: every difference shows in a hash or is named."""

from dataclasses import replace

import pytest
from testkit.examples import EXAMPLES
from testkit.federation import P0, P1, core, federation

from collude.common.errors import RosterMismatch
from collude.common.methods import METHODS
from collude.common.protocol import messages as m
from collude.common.protocol.anchor import commitment_to, confirm_items, joint_seed, seed_hash
from collude.common.protocol.rounds import PLANS
from collude.common.protocol.terms import join_items, require_same, session_id

TERMS = core(federation(), P0).terms
JOIN = EXAMPLES[m.Join]
JOINS = (m.NamedJoin(P0, JOIN), m.NamedJoin(P1, replace(JOIN, nonce=bytes(32))))
OTHER = {"width": 7, "anchor_rows": 7, "attempt": 7}


@pytest.mark.parametrize("values", [(1, 2), (bytes(32), bytes(31) + b"\1"), ("a", "b")])
def test_a_difference_is_named_with_both_values(values):
    mine, theirs = values
    with pytest.raises(RosterMismatch) as caught:
        require_same(P1, "scenario_digest", mine, theirs)
    error = caught.value
    assert (error.party, error.field) == (P1, "scenario_digest")
    assert error.expected != error.got
    assert "bytes" not in error.got
    require_same(P1, "scenario_digest", mine, mine)


@pytest.mark.parametrize("field", [f for f in m.Join.__dataclass_fields__ if f != "signature"])
def test_every_field_of_a_join_is_signed(field):
    changed = replace(JOIN, **{field: OTHER.get(field, bytes(32))})
    assert join_items(P0, changed) != join_items(P0, JOIN)
    assert join_items(P1, JOIN) != join_items(P0, JOIN)


def test_a_session_id_covers_terms_and_everybodys_fresh_part():
    base = session_id(TERMS, JOINS)
    other_join = replace(JOIN, nonce=bytes(range(32)))
    others = [
        session_id(replace(TERMS, attempt=1), JOINS),
        session_id(replace(TERMS, scenario_digest=bytes(32)), JOINS),
        session_id(replace(TERMS, roster=core(federation(p=2), P0).terms.roster), JOINS),
        session_id(TERMS, JOINS[:1]),
        session_id(TERMS, JOINS[::-1]),
        session_id(TERMS, (JOINS[0], m.NamedJoin("participant-2", JOINS[1].join))),
        session_id(TERMS, (m.NamedJoin(P0, other_join), JOINS[1])),
        session_id(TERMS, (m.NamedJoin(P0, replace(JOIN, session_key=bytes(32))), JOINS[1])),
    ]
    assert len({base, *others}) == 1 + len(others)


@pytest.mark.parametrize("method", METHODS)
def test_the_terms_of_a_scenario_have_its_methods_plan(method):
    terms = core(federation(method), P0).terms
    assert terms.plan == PLANS[method]
    assert terms.deadline_s == 30.0
    assert terms.participants == (P0, P1, "participant-2")


def test_the_next_attempt_has_fewer_participants_and_the_same_roster():
    again = TERMS.again((P1,))
    assert again.participants == (P0, "participant-2")
    assert (again.attempt, again.roster) == (1, TERMS.roster)
    assert TERMS.participants == (P0, P1, "participant-2")


# --- the hashes of the anchor round ---------------------------------------------------------


def test_a_commitment_binds_session_name_nonce_and_share():
    parts = (bytes(32), P0, bytes([1]) * 32, bytes([2]) * 32)
    base = commitment_to(*parts)
    others = [
        commitment_to(bytes([3]) * 32, *parts[1:]), commitment_to(parts[0], P1, *parts[2:]),
        commitment_to(*parts[:2], parts[3], parts[2]), commitment_to(*parts[:3], bytes(32)),
        commitment_to(*parts[:2], parts[2] + parts[3][:1], parts[3][1:]),
    ]  # fmt: skip
    assert len({base, *others}) == 1 + len(others)


def test_a_seed_depends_on_every_share_on_whose_it_is_and_on_the_session():
    shares = {P0: bytes([1]) * 32, P1: bytes([2]) * 32}
    base = joint_seed(bytes(32), shares)
    assert joint_seed(bytes(32), dict(reversed(shares.items()))) == base
    swapped = {P0: shares[P1], P1: shares[P0]}
    others = {
        joint_seed(bytes(31) + b"\1", shares), joint_seed(bytes(32), swapped),
        joint_seed(bytes(32), {P0: shares[P0]}), joint_seed(bytes(32), shares | {"x": bytes(32)}),
        *(joint_seed(bytes(32), shares | {name: bytes(32)}) for name in shares),
    }  # fmt: skip
    assert len(others | {base}) == 7


def test_the_hash_that_is_shown_does_not_show_the_seed():
    seed = bytes(range(32))
    assert seed not in seed_hash(seed)
    assert seed_hash(seed) != seed_hash(bytes(32))
    assert len(seed_hash(seed)) == 32


def test_names_in_a_confirmation_cannot_run_into_hashes():
    one = confirm_items(b"s", P0, ["a", "b"], b"x", b"y")
    other = confirm_items(b"s", P0, ["a"], b"b", b"x")
    assert one[: len(other)] != other
    assert confirm_items(b"s", P0, [], b"x", b"y") != confirm_items(b"s", P0, ["x"], b"y", b"")
