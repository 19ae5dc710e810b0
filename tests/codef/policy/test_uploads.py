"""What leases are worth for uploads: no way of dealing them out passes what the policy promises."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.leakage import rr_information
from collude.codef.policy import PolicySettings, allot, policy_of, upload_rule
from collude.codef.risk import success_bound_vectors
from collude.common.errors import ParameterInvalid

SETTINGS = PolicySettings(policy="information", persons=500, silos=5, attributes=0)
POLICIES = ("information", "success", "paper")


def rule_of(**changes):
    settings = replace(SETTINGS, **changes)
    policy = policy_of(settings)
    return policy, upload_rule(policy, settings)


@pytest.mark.parametrize(("level", "slots"), [(4, 1), (-2, 1), (0, -1)])
def test_a_lease_that_is_none_is_refused(level, slots):
    with pytest.raises(ParameterInvalid):
        rule_of()[1].of_lease(level, slots)


def test_a_withheld_lease_is_worth_nothing():
    for name in POLICIES:
        assert rule_of(policy=name)[1].of_lease(-1, 0) == 0.0


def test_a_slot_is_worth_what_an_answer_tells():
    _, rule = rule_of()
    for level, epsilon in enumerate(SETTINGS.epsilon_grid):
        assert rule.of_lease(level, 3) == pytest.approx(3 * rr_information(epsilon), rel=1e-12)


@given(
    policy=st.sampled_from(["information", "success"]),
    silos=st.integers(1, 40),
    slots=st.integers(1, 30),
    persons=st.integers(20, 5000),
    risk=st.floats(0.06, 0.9),
    gamma=st.floats(0.1, 1.0),
)
def test_all_uploads_together_stay_within_the_promise(policy, silos, slots, persons, risk, gamma):
    """Every silo uses all that it got about one person, whoever holds rows of it."""
    changes = {"policy": policy, "persons": persons, "max_success": risk, "gamma": gamma}
    try:
        made, rule = rule_of(silos=silos, **changes)
    except ParameterInvalid:  # not one answer is safe: no such policy
        return
    names = [f"participant-{i}" for i in range(silos)]
    grant = made.grant(np.zeros(persons, dtype=np.int64), silos, slots)
    lots = allot(grant, names, slots, b"seed").values()
    spent = [
        math.fsum(rule.of_lease(int(lot.levels[p]), int(lot.slots[p])) for lot in lots)
        for p in range(0, persons, 7)
    ]
    assert max(spent) <= rule.total * (1 + 1e-12)
    if policy == "information":
        assert max(spent) <= gamma * math.log(persons)
    else:
        assert success_bound_vectors(persons, max(spent)) <= risk


@pytest.mark.parametrize("persons", [100, 500, 5000])
@pytest.mark.parametrize("risk", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("epsilon", [0.25, 1.0])
def test_success_uses_most_of_what_it_may(persons, risk, epsilon):
    _, rule = rule_of(policy="success", persons=persons, max_success=risk, epsilon=epsilon)
    assert 0.75 * risk <= rule.success <= risk
    assert f"{risk:g}" in rule.guarantee


def test_slots_for_answers_promise_less_for_vectors():
    """Why slots are not simply worth I_1: as nats of vectors they would pass the risk."""
    policy, _ = rule_of(policy="success", max_success=0.1)
    nats = policy.slots * rr_information(1.0)
    assert success_bound_vectors(500, nats) > 0.1


def test_the_papers_rule_bounds_nothing():
    _, rule = rule_of(policy="paper")
    assert (rule.total, rule.success) == (None, None)
    assert "nothing" in rule.guarantee
