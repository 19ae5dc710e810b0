"""Policies: what they refuse, what they grant, and what the paper's rule overlooks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.budget import (
    Decision,
    InformationBudget,
    PaperRule,
    PersonState,
    ScheduledSuccessBudget,
    SuccessBudget,
)
from collude.codef.leakage import rr_information
from collude.codef.risk import (
    critical_silos,
    exact_error,
    exact_error_mixed,
    fano_error,
    largest_safe_count,
    success_bound,
)
from collude.common.errors import ParameterInvalid

I1 = rr_information(1.0)


def state(*spent: tuple[float, int], slots: int = 1, nats: float | None = None) -> PersonState:
    return PersonState(spent, slots, nats)


@pytest.mark.parametrize("bad", [
    lambda: state((-1.0, 2)), lambda: state((1.0, -2)), lambda: state((1.0, 1.5)),
    lambda: state(slots=0), lambda: state(slots=1.5), lambda: state(nats=-0.1),
    lambda: PaperRule(1, 1.0, 0.5, 0.5), lambda: PaperRule(500, 0.0, 0.5, 0.5),
    lambda: PaperRule(500, 1.0, 1.0, 0.5), lambda: PaperRule(500, 1.0, 0.5, 0.0),
    lambda: PaperRule(500, 1.0, 0.5, 1.1), lambda: PaperRule(500, 1.0, 0.0, 0.5),
    lambda: InformationBudget(500, 0.5, ()), lambda: InformationBudget(500, 0.5, (1.0, 0.0)),
    lambda: InformationBudget(500, math.nan, (1.0,)), lambda: InformationBudget(1, 0.5, (1.0,)),
    lambda: SuccessBudget(500, 0.0, 0.1), lambda: SuccessBudget(500, 1.0, 0.001),
    lambda: SuccessBudget(500, 1.0, 1.0), lambda: SuccessBudget(1, 1.0, 0.6),
    lambda: ScheduledSuccessBudget(500, ((1.0, 13),), 0.1),
    lambda: ScheduledSuccessBudget(500, ((0.0, 3),), 0.1),
])  # fmt: skip
def test_bad_parameters_are_refused(bad) -> None:
    with pytest.raises(ParameterInvalid):
        bad()


# --- the paper's rule -----------------------------------------------------------------------


def test_the_papers_rule_counts_and_forgets() -> None:
    rule = PaperRule(500, 1.0, 0.5, 0.5)
    assert rule.threshold(1.0) == 28
    assert rule.decide(state()).epsilon == 1.0
    assert rule.decide(state((1.0, 27))).epsilon == 1.0
    assert rule.decide(state((1.0, 28))).epsilon == 0.5
    last = rule.threshold(0.5)
    assert rule.decide(state((1.0, 28), (0.5, last - 29))).epsilon == 0.5
    assert rule.decide(state((1.0, 28), (0.5, last - 28))).epsilon is None
    # 28 answers at 1 or at 0.5: the same to the rule, four times the information
    assert rule.decide(state((0.5, 28))) == rule.decide(state((1.0, 28)))


def test_a_lease_does_not_count_for_the_papers_rule() -> None:
    rule = PaperRule(500, 1.0, 0.5, 0.5)
    assert rule.decide(state((1.0, 27), slots=50)).epsilon == 1.0


# n, epsilon, epsilon', gamma | at the trigger: k, success, bound | the rule at gamma k*(eps'):
# information/ln n, error | at k*(eps')
FLAW = [
    (500, 1.0, 0.5, 0.5, 28, 0.292, 0.346, 0.861, 0.408, 1.363, 0.149),
    (500, 1.0, 0.5, 0.8, 44, 0.534, 0.606, 1.371, 0.145, 1.570, 0.091),
    (500, 1.0, 0.25, 0.8, 44, 0.534, 0.606, 1.530, 0.101, 1.730, 0.063),
    (2000, 2.0, 0.5, 0.8, 18, 0.486, 0.559, 1.502, 0.081, 1.701, 0.045),
]


@pytest.mark.parametrize("row", FLAW)
def test_the_accounting_flaw_to_the_digits(row) -> None:
    n, epsilon, after, gamma, k, success, bound, *later = row
    assert PaperRule(n, epsilon, after, gamma).threshold(epsilon) == k
    assert round(1 - exact_error(n, epsilon, k), 3) == success
    assert round(success_bound(n, [(epsilon, k)]), 3) == bound
    found = []
    for share in (gamma, 1.0):
        total = math.floor(share * critical_silos(n, rr_information(after)))
        schedule = [(epsilon, k), (after, total - k)]
        nats = sum(count * rr_information(e) for e, count in schedule)
        found += [nats / math.log(n), float(exact_error_mixed(n, schedule))]
    assert found == pytest.approx(later, abs=1.001e-3)


def halved_again_and_again(levels: int) -> list[tuple[float, int]]:
    schedule: list[tuple[float, int]] = []
    for level in range(levels):
        epsilon = 0.5**level
        limit = math.floor(0.5 * critical_silos(500, rr_information(epsilon)))
        schedule.append((epsilon, limit - sum(count for _, count in schedule)))
    return schedule


def test_the_rule_applied_again_and_again_protects_nobody() -> None:
    schedule = halved_again_and_again(6)
    nats, errors = [], []
    for level in range(1, 7):
        done = schedule[:level]
        nats.append(sum(count * rr_information(e) for e, count in done) / math.log(500))
        errors.append(float(exact_error_mixed(500, done)))
    assert nats == pytest.approx([0.50, 0.86, 1.23, 1.61, 1.98, 2.36], abs=5.1e-3)
    # The design's page has .73 for the first, before any switch: that is .708, as it says later.
    assert errors == pytest.approx([0.708, 0.408, 0.198, 0.0860, 0.0343, 0.0128], rel=5e-3)


def test_gamma_is_not_a_risk() -> None:
    shares = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
    at = critical_silos(500, I1)
    found = [round(1 - exact_error(500, 1.0, math.floor(c * at)), 3) for c in shares]
    assert found == [0.013, 0.096, 0.292, 0.506, 0.614, 0.685]
    at = critical_silos(1e6, I1)
    found = [round(1 - exact_error(1e6, 1.0, math.floor(c * at)), 3) for c in (0.25, 0.5, 0.75, 1)]
    assert found == [0.009, 0.115, 0.369, 0.652]


@pytest.mark.parametrize(
    ("silos", "count", "success"), [(10, 37, 0.43), (20, 47, 0.57), (50, 77, 0.86)]
)
def test_what_one_counting_interval_adds(silos: int, count: int, success: float) -> None:
    assert 27 + silos == count
    assert round(1 - exact_error(500, 1.0, count), 2) == success


@pytest.mark.parametrize(
    ("hidden", "success"), [(0.1, 0.339), (0.2, 0.401), (0.33, 0.491), (0.5, 0.685)]
)
def test_what_under_reporting_adds(hidden: float, success: float) -> None:
    assert round(1 - exact_error(500, 1.0, math.floor(28 / (1 - hidden))), 3) == success


# --- information ----------------------------------------------------------------------------


def test_information_takes_the_largest_epsilon_that_fits_the_whole_lease() -> None:
    budget = InformationBudget(500, 0.5, (0.25, 1.0, 0.5))
    assert budget.nats == pytest.approx(0.5 * math.log(500))
    assert budget.decide(state()).epsilon == 1.0
    assert budget.decide(state((1.0, 28))).epsilon is None
    assert budget.decide(state((1.0, 27))).epsilon == 1.0
    assert budget.decide(state((1.0, 27), slots=2)).epsilon == 0.5
    assert budget.decide(state((1.0, 27), slots=14)).epsilon == 0.25
    assert budget.decide(state((1.0, 27), slots=15)).epsilon is None


@given(
    st.floats(0.05, 1),
    st.lists(st.sampled_from([2.0, 1.0, 0.5, 0.125]), min_size=1, unique=True),
    st.lists(st.integers(1, 40), max_size=60),
)
def test_information_never_overspends(gamma, grid, leases) -> None:
    budget = InformationBudget(1000, gamma, grid)
    spent: dict[float, int] = {}
    for slots in leases:
        decision = budget.decide(state(*spent.items(), slots=slots))
        if decision.epsilon is not None:
            spent[decision.epsilon] = spent.get(decision.epsilon, 0) + slots
    total = sum(count * rr_information(epsilon) for epsilon, count in spent.items())
    assert total <= gamma * math.log(1000) + 1e-8


def test_a_switch_does_not_reset_the_information() -> None:
    budget = InformationBudget(500, 0.5, (1.0, 0.5, 0.25, 0.125))
    spent: dict[float, int] = {}
    for _ in range(400):
        epsilon = budget.decide(state(*spent.items())).epsilon
        if epsilon is None:
            break
        spent[epsilon] = spent.get(epsilon, 0) + 1
    assert spent[1.0] == 28
    assert exact_error_mixed(500, list(spent.items())) == pytest.approx(0.708, abs=2e-3)
    assert fano_error(500, budget.nats) > 0


def test_nats_from_elsewhere_count_and_cannot_undercut_the_charge() -> None:
    budget = InformationBudget(500, 0.5, (1.0,))
    assert budget.decide(state(nats=3.0)).epsilon is None
    assert budget.decide(state((1.0, 2), nats=2 * I1 + 0.001)).epsilon == 1.0
    with pytest.raises(ParameterInvalid, match="spent_nats"):
        budget.decide(state((1.0, 2), nats=0.0))


# --- success --------------------------------------------------------------------------------


def test_success_grants_its_slots_and_no_more() -> None:
    budget = SuccessBudget(500, 1.0, 0.1)
    assert budget.slots == largest_safe_count(500, 1.0, 0.1) == 12
    assert budget.decide(state()) == Decision(1.0, "12 of 12 slots left")
    assert budget.decide(state((1.0, 11))).epsilon == 1.0
    assert budget.decide(state((1.0, 12))).epsilon is None
    assert budget.decide(state((1.0, 9), slots=3)).epsilon == 1.0
    assert budget.decide(state((1.0, 9), slots=4)).epsilon is None
    assert budget.decide(state((1.0, 40))).epsilon is None


def test_success_ends_when_another_epsilon_was_used() -> None:
    budget = SuccessBudget(500, 1.0, 0.1)
    refused = budget.decide(state((1.0, 1), (0.5, 1)))
    assert refused.epsilon is None
    assert "holds for epsilon 1 alone" in refused.reason
    assert budget.decide(state((1.0, 1), (0.5, 0))).epsilon == 1.0
    assert budget.decide(state(nats=0.3)).epsilon is None


@given(st.integers(3, 10**5), st.floats(0.05, 4), st.floats(0.01, 0.9), st.integers(1, 9))
def test_success_keeps_its_risk(n: int, epsilon: float, extra: float, slots: int) -> None:
    budget = SuccessBudget(n, epsilon, 1 / n + extra * (1 - 1 / n))
    used = 0
    while budget.decide(state((epsilon, used), slots=slots)).epsilon is not None:
        used += max(slots, budget.slots // 3)
        assert used <= budget.slots or slots < budget.slots // 3
        if used > budget.slots:
            return
    assert success_bound(n, [(epsilon, used)]) <= budget.max_success


def test_a_published_schedule_is_followed_in_order() -> None:
    budget = ScheduledSuccessBudget(500, ((1.0, 6), (0.5, 20)), 0.1)
    assert budget.decide(state(slots=6)).epsilon == 1.0
    assert budget.decide(state(slots=7)).epsilon is None
    assert budget.decide(state((1.0, 6))).epsilon == 0.5
    assert budget.decide(state((1.0, 6), (0.5, 19))).epsilon == 0.5
    assert budget.decide(state((1.0, 6), (0.5, 20))).epsilon is None
    for departed in (state((1.0, 7)), state((0.5, 1)), state((1.0, 5), (0.5, 1))):
        assert "not the beginning" in budget.decide(departed).reason


def test_reasons_speak_of_the_public_history_alone() -> None:
    """Equal histories, equal decisions: nothing else goes in."""
    for policy in (
        PaperRule(500, 1.0, 0.5, 0.5),
        InformationBudget(500, 0.5, (1.0,)),
        SuccessBudget(500, 1.0, 0.1),
    ):
        assert policy.decide(state((1.0, 3))) == policy.decide(state((1.0, 3)))
