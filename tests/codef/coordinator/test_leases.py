"""Leases over whole periods: what is answered stays within the budget, whoever crashes when."""

from itertools import pairwise

import numpy as np
import pytest
from testkit.periods import Answering, Shape, federation, meet, some
from testkit.periods_schedules import budget_of

from collude.codef.leakage import rr_information
from collude.codef.risk import success_bound
from collude.common.ids import participant_name
from collude.common.net.fault_plan import FaultPlan

SILOS = 6
CASES = {
    "success": {"max_success": 0.5},
    "success, slots of two": {"max_success": 0.6},
    "information": {"gamma": 0.5, "unit": 1e-4},
    "information, coarse": {"gamma": 0.9, "unit": 1e-2},
}


LATE = FaultPlan(delay=(0.05, 0.6), loss=0.1, reorder=0.05)
"""A lost parcel comes again after more than half a deadline, and may then be too late."""


def shape_of(case, seed=0, epochs=5):
    return Shape(
        silos=SILOS,
        persons=14,
        epochs=epochs,
        attributes=5,
        slots=2 if case.endswith("two") else 1,
        threshold=4,
        policy=case.split(",", maxsplit=1)[0],
        numbers=CASES[case],
        seed=seed,
    )


def holdings(uses=lambda slots: slots):
    return {participant_name(i): Answering(uses) for i in range(SILOS)}


def within(fed):
    """Whether the answers really given are within the policy's promise, about everybody."""
    policy = fed.terms[0].policy
    charged = sum(held.counts[0] for held in fed.holdings.values() if held.counts)
    answers = sum(held.answers[0] for held in fed.holdings.values() if held.answers)
    assert charged.max() <= budget_of(policy)
    if policy.name == "information":
        nats = answers @ np.array([rr_information(level) for level in policy.levels])
        gamma = {1e-4: 0.5, 1e-2: 0.9}[policy.unit]
        assert nats.max() <= gamma * np.log(fed.terms[0].persons)
    else:
        (level,) = policy.levels
        most = int(answers.sum(axis=1).max())
        assert success_bound(fed.terms[0].persons, [(level, most)]) <= policy._budget.max_success
    return True


@pytest.mark.parametrize("case", CASES)
def test_all_silos_answer_everything_at_once_and_do_not_overshoot(case):
    fed = meet(federation(shape_of(case), holdings()))
    assert not any(fed.errors.values())
    assert within(fed)
    charged = sum(held.counts[0] for held in fed.holdings.values())
    # And the leases are worth something: next to nothing that would fit is withheld.
    policy = fed.terms[0].policy
    smallest = policy.charge(len(policy.levels) - 1)
    assert charged.min() > budget_of(policy) - smallest or charged.min() >= 0.9 * budget_of(policy)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(6))
def test_budgets_hold_when_silos_crash_at_random_times(case, seed):
    rng = np.random.default_rng([seed, 3])
    names = rng.choice([participant_name(i) for i in range(SILOS)], size=2, replace=False)
    crash = {str(name): float(rng.uniform(0.0, 0.1)) for name in names}
    share = float(rng.choice([1.0, 0.5]))
    fed = federation(shape_of(case, seed), holdings(some(rng, share)))
    meet(fed, plan=FaultPlan(crash=crash), seed=seed)
    assert within(fed)
    assert fed.coordinator.error is None, fed.coordinator.error
    for name in set(fed.silos) - set(crash):
        assert fed.silos[name].error is None


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(3))
def test_budgets_hold_when_messages_are_so_late_that_silos_are_left_behind(case, seed):
    """Delays of about a deadline: silos are missed, come again, and are counted again."""
    fed = meet(federation(shape_of(case, seed), holdings()), plan=LATE, seed=seed)
    assert within(fed)


def test_so_late_that_some_are_missed_and_come_again():
    """Else the test above would show nothing."""
    came_again = 0
    for seed in range(6):
        plan = LATE
        fed = meet(federation(shape_of("success", seed), holdings()), plan=plan, seed=seed)
        for book in fed.coordinator.books:
            missing = [set(facts.missing) for facts in book.facts]
            came_again += sum(len(a - b) for a, b in pairwise(missing))
    assert came_again > 2


def test_the_papers_rule_overshoots_and_by_how_much():
    """All answer everything before the first count: what the rule allows is passed at once."""
    shape = Shape(silos=SILOS, persons=14, epochs=2, attributes=5, threshold=4, policy="paper",
                  numbers={"gamma": 0.8})  # fmt: skip
    fed = meet(federation(shape, holdings()))
    policy = fed.terms[0].policy
    charged = sum(held.counts[0] for held in fed.holdings.values())
    assert policy.thresholds[0] < SILOS * shape.attributes
    assert charged.max() == SILOS * shape.attributes
    bound = success_bound(14, [(policy.levels[0], int(charged.max()))])
    intended = success_bound(14, [(policy.levels[0], policy.thresholds[0])])
    assert bound > intended


def test_a_missing_silo_is_charged_all_that_it_was_ever_granted():
    """It may have used all of it; charging the latest lease alone would overspend."""
    fed = federation(shape_of("success", epochs=4), holdings())
    meet(fed, plan=FaultPlan(crash={"participant-2": 0.045}))
    book = fed.coordinator.books[0]
    gone = [e for e, facts in enumerate(book.facts) if "participant-2" in facts.missing]
    assert gone
    assert gone[0] > 1
    used = fed.holdings["participant-2"].counts[0]
    spent = book.spending.spent(book.sums[-1], book.facts[-1].counted)
    assert (spent - book.sums[-1] >= used).all()
    assert used.any()
