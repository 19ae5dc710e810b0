"""The round table: what is not in it is refused; what is in it leads where the methods say."""

from itertools import pairwise, product
from typing import get_args

import pytest
from testkit.examples import EXAMPLES

from collude.common.errors import ProtocolViolation
from collude.common.ids import Role, Round
from collude.common.methods import METHODS
from collude.common.protocol import messages as m
from collude.common.protocol.rounds import (
    PLANS,
    RESTARTABLE,
    TAKES,
    TERMINAL,
    OwnWork,
    next_round,
    plan_for,
    transitions,
)

ROLES = (Role.PARTICIPANT, Role.ANALYST)
KINDS = (*get_args(m.Message), OwnWork)


def instance(kind):
    return OwnWork() if kind is OwnWork else EXAMPLES[kind]


@pytest.mark.parametrize("method", PLANS)
def test_every_combination_that_is_not_in_the_table_is_refused(method):
    table = transitions(PLANS[method])
    refused = 0
    for role, current, kind in product(Role, Round, KINDS):
        if (role, current, kind) in table:
            continue
        with pytest.raises(ProtocolViolation) as caught:
            next_round(table, role, current, instance(kind), "participant-0")
        assert caught.value.party == "participant-0"
        assert caught.value.got == kind.__name__
        refused += 1
    assert refused == len(Role) * len(Round) * len(KINDS) - len(table)


@pytest.mark.parametrize("method", PLANS)
def test_a_round_waits_for_one_message_an_abort_and_in_the_anchor_a_restart(method):
    table = transitions(PLANS[method])
    for role in ROLES:
        for current, following in pairwise(plan_for(role, PLANS[method])):
            expected = {TAKES[role, current]: following, m.Abort: Round.ABORTED}
            if role is Role.PARTICIPANT and current in RESTARTABLE:
                expected[m.Restart] = Round.JOIN
            found = {
                kind: to for (r, now, kind), to in table.items() if (r, now) == (role, current)
            }
            assert found == expected


@pytest.mark.parametrize("method", PLANS)
def test_nothing_leads_out_of_the_end(method):
    table = transitions(PLANS[method])
    assert not [key for key in table if key[1] in TERMINAL]
    assert not [key for key in table if key[0] not in ROLES]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("method", PLANS)
def test_the_expected_messages_lead_from_the_join_to_the_end(method, role):
    table, current, visited = transitions(PLANS[method]), Round.JOIN, []
    while current not in TERMINAL:
        visited.append(current)
        current = next_round(table, role, current, instance(TAKES[role, current]), "analyst")
    assert current is Round.DONE
    assert tuple(visited) == plan_for(role, PLANS[method])[:-1]


# --- plans and methods ----------------------------------------------------------------------


def test_every_method_has_a_plan():
    assert set(PLANS) == set(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_a_plan_has_the_rounds_that_its_method_needs(method):
    traits, plan = METHODS[method], set(PLANS[method])
    anchor = {Round.ANCHOR_COMMIT, Round.ANCHOR_REVEAL, Round.ANCHOR_CONFIRM}
    upload = {Round.UPLOAD, Round.ALIGN, Round.DELIVER}
    assert bool(plan & anchor) == (traits.anchor or traits.common_secret)
    assert plan & anchor in (set(), anchor)
    assert plan & upload == (upload if traits.uploads else set())
    assert {Round.JOIN, Round.EVALUATE, Round.DONE} <= plan
    assert Round.ABORTED not in plan


@pytest.mark.parametrize("method", METHODS)
def test_a_plan_is_in_the_order_of_the_rounds(method):
    order = list(Round)
    assert sorted(PLANS[method], key=order.index) == list(PLANS[method])


def test_a_seed_is_confirmed_before_anything_made_of_it_is_sent():
    for plan in PLANS.values():
        if Round.ANCHOR_COMMIT in plan:
            assert plan.index(Round.ANCHOR_CONFIRM) < plan.index(Round.UPLOAD)
    assert Round.UPLOAD not in RESTARTABLE  # an upload under two anchors would give more away


def test_each_message_class_belongs_to_one_round_and_one_direction():
    taken = [kind for kind in TAKES.values() if kind is not OwnWork]
    assert len(taken) == len(set(taken))
