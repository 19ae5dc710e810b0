"""What the policies on the wire grant: never more than the budgets that they carry out."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.budget import InformationBudget, PaperRule, PersonState, SuccessBudget
from collude.codef.leakage import rr_information
from collude.codef.policy import PolicySettings, ReleasePolicy, allot, lease_charges, policy_of
from collude.codef.risk import success_bound
from collude.common.errors import ParameterInvalid

SETTINGS = PolicySettings("success", persons=500, silos=20, attributes=3)
MECHANISMS = ["rr", "gaussian"]


def made(policy: str, **change) -> ReleasePolicy:
    return policy_of(replace(SETTINGS, policy=policy, **change))


@cache
def once(policy: str, mechanism: str, risk: float) -> ReleasePolicy:
    return made(policy, mechanism=mechanism, max_success=risk, gamma=risk)


def granted(policy: ReleasePolicy, spent: list[int], silos: int = 20, slots: int = 1):
    grant = policy.grant(np.array(spent, dtype=np.int64), silos, slots)
    return list(zip(grant.levels.tolist(), grant.total.tolist(), strict=True))


# --- all three ------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("name", ["paper", "information", "success"])
@given(
    spent=st.integers(0, 400_000),
    silos=st.integers(1, 20),
    slots=st.integers(1, 4),
    risk=st.sampled_from([0.02, 0.3]),
)
def test_no_silos_lease_is_worth_more_when_something_was_spent(
    name, mechanism, spent, silos, slots, risk
):
    """Silos refuse what is worth more than what they would get if nothing had been spent."""
    policy = once(name, mechanism, risk)
    spent = spent if policy.unit else spent % (policy.cap * silos + 2)
    names = [f"participant-{i}" for i in range(silos)]
    each = slots if policy.leased else SETTINGS.attributes
    grants = (policy.grant(np.array([count]), silos, slots) for count in (0, spent))
    most, now = (allot(grant, names, each, b"seed") for grant in grants)
    for silo in names:
        assert lease_charges(policy, now[silo])[0] <= lease_charges(policy, most[silo])[0]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("name", ["paper", "information", "success"])
def test_every_policy_can_be_carried_by_the_wire(name, mechanism):
    policy = made(name, mechanism=mechanism)
    assert policy.name == name
    assert policy.guarantee.endswith(".")
    assert list(policy.levels) == sorted(set(policy.levels), reverse=True)
    assert policy.charge(-1) == 0 == policy.charge_of_lease(-1, 5)
    for level in range(len(policy.levels)):
        assert policy.charge_of_lease(level, 1) == policy.charge(level) >= 1
        # 3 attributes: never a fourth answer
        assert policy.charge_of_lease(level, 9) == 3 * policy.charge(level)
        assert policy.charge(level) <= policy.cap
    for level in (-2, len(policy.levels)):
        with pytest.raises(ParameterInvalid):
            policy.charge(level)
    for spent, silos, slots in [
        ([-1], 1, 1),
        ([[1]], 1, 1),
        ([0.5], 1, 1),
        ([0], 0, 1),
        ([0], 1, 0),
    ]:
        with pytest.raises(ParameterInvalid):
            policy.grant(np.array(spent), silos, slots)


@pytest.mark.parametrize("name", ["paper", "information", "success"])
def test_a_grant_depends_on_each_persons_own_count_alone(name):
    policy = made(name)
    counts = [0, 5, 11, 12, 13, 27, 28, 101, 102, 310_000, 310_730, 400_000]
    alone = [granted(policy, [count])[0] for count in counts]
    assert granted(policy, counts[::-1] + counts) == alone[::-1] + alone
    assert granted(policy, []) == []


# --- success --------------------------------------------------------------------------------


def test_success_grants_the_safe_count_and_not_one_more():
    policy = made("success")
    assert granted(policy, [0, 1, 11, 12, 13], silos=8) == [
        (0, 8),
        (0, 8),
        (0, 1),
        (-1, 0),
        (-1, 0),
    ]
    assert granted(policy, [0, 5], silos=20) == [(0, 12), (0, 7)]
    assert granted(policy, [0, 5], silos=5, slots=3) == [(0, 12), (0, 7)]
    assert granted(policy, [0], silos=2, slots=3) == [(0, 6)]
    assert success_bound(500, [(1.0, 12)]) <= 0.1 < success_bound(500, [(1.0, 13)])
    assert (policy.levels, policy.unit, policy.cap, policy.leased) == ((1.0,), None, 3, True)
    assert made("success", attributes=0).cap == 12
    assert "0.1" in policy.guarantee
    assert "12 times" in policy.guarantee


@given(st.integers(0, 60), st.integers(1, 30), st.integers(1, 4))
def test_success_decides_as_its_budget(spent, silos, slots):
    budget = SuccessBudget(500, 1.0, 0.1)
    ((level, total),) = granted(made("success"), [spent], silos, slots)
    state = ((1.0, spent),)
    if level == 0:
        assert budget.decide(PersonState(state, total)).epsilon == 1.0
        full = total == silos * slots
        assert full or budget.decide(PersonState(state, total + 1)).epsilon is None
    else:
        assert total == 0
        assert budget.decide(PersonState(state, 1)).epsilon is None


# --- information ----------------------------------------------------------------------------


@given(
    st.sampled_from([0.25, 0.5, 1.0]),
    st.floats(1e-7, 1e-2),
    st.floats(0, 1.05),
    st.integers(1, 40),
    st.integers(1, 4),
)
def test_information_never_grants_what_its_budget_refuses(gamma, unit, share, silos, slots):
    grid = SETTINGS.epsilon_grid
    policy = made("information", gamma=gamma, unit=unit, bits=62)
    budget = InformationBudget(500, gamma, grid)
    spent = int(share * budget.nats / unit)
    ((level, total),) = granted(policy, [spent], silos, slots)

    def decided(lease: int) -> float | None:
        return budget.decide(PersonState((), lease, spent * unit)).epsilon

    best = decided(silos * slots)
    if total == silos * slots:
        assert best is not None
        assert policy.levels[level] <= best
    elif level >= 0:  # as many as fit at the smallest
        assert level == len(grid) - 1
        assert decided(total) is not None
    # rounding costs no more than a count for each answer and one for the budget
    if total != silos * slots or policy.levels[level] != best:
        slack = (silos * slots + 1) * unit * (1 + 1e-9)
        assert (
            best is None
            or budget.decide(PersonState((), silos * slots, spent * unit + slack)).epsilon != best
        )


def test_information_is_rounded_against_the_answers():
    for unit in (1e-5, 1e-3, 0.01, 0.1):
        policy = made("information", unit=unit, gamma=1.0)
        for level, epsilon in enumerate(policy.levels):
            nats = rr_information(epsilon)
            assert nats <= policy.charge(level) * unit < nats + 1.001 * unit
        fits = granted(policy, [0], silos=10**6)[0][1]
        assert fits * policy.charge(len(policy.levels) - 1) * unit <= math.log(500)


def test_a_whole_number_of_units_is_not_rounded_below_itself():
    """An answer of exactly 7 units, as floating point sees it, is charged 7 or 8, never 6."""
    unit = rr_information(1.0) / 7
    policy = made("information", unit=unit, epsilon_grid=(1.0,))
    assert policy.charge(0) * unit >= rr_information(1.0)
    # a budget of exactly 56 answers loses at most one to rounding
    n = 500
    whole = made("information", unit=math.log(n) / 56, epsilon_grid=(0.01,), gamma=1.0)
    assert granted(whole, [0], silos=10**4)[0] == (0, 55)


def test_information_takes_the_largest_epsilon_for_all_else_the_smallest_for_some():
    policy = made("information", epsilon_grid=(0.25, 1.0, 0.5))
    assert policy.levels == (1.0, 0.5, 0.25)
    charges = [policy.charge(level) for level in range(3)]
    assert charges == [11095, 3030, 776]  # of .110944, .030299, .0077519 nats
    budget = 310_730  # floor(3.1073... / 1e-5)
    left = [20 * charges[0], 20 * charges[0] - 1, 20 * charges[1] - 1, 20 * charges[2] - 1,
            charges[2], charges[2] - 1, 0, -5]  # fmt: skip
    assert granted(policy, [budget - x for x in left]) == [
        (0, 20), (1, 20), (2, 20), (2, 19), (2, 1), (-1, 0), (-1, 0), (-1, 0)]  # fmt: skip


def test_the_most_that_a_silo_counts_is_the_budget_or_all_its_attributes():
    assert made("information").cap == 3 * 11095
    assert made("information", attributes=64).cap == 310_730
    assert made("information", attributes=0).cap == 310_730


# --- paper ----------------------------------------------------------------------------------


def test_paper_follows_the_rule_and_knows_no_lease():
    policy = made("paper")
    rule = PaperRule(500, 1.0, 0.5, 0.5)
    counts = [0, 27, 28, 101, 102, 500]
    expected = []
    for count in counts:
        epsilon = rule.decide(PersonState(((1.0, count),), 1)).epsilon
        expected.append((-1, 0) if epsilon is None else (policy.levels.index(epsilon), 60))
    assert granted(policy, counts) == expected
    assert [level for level, _ in expected] == [0, 0, 1, 1, -1, -1]
    assert not policy.leased
    assert not policy.grant(np.array([0]), 20, 1).leased
    assert "nothing" in policy.guarantee


def test_paper_with_gaussian_answers_has_their_thresholds():
    policy = made("paper", mechanism="gaussian")
    levels = [granted(policy, [count])[0][0] for count in (348, 349, 1231, 1232)]
    assert levels == [0, 1, 1, -1]
