"""Whatever a link does, whoever crashes and whoever lies: the sum is exact, or it ends by name.

`COLLUDE_SCHEDULES=2000` tries more of them; `COLLUDE_SCHEDULE=1234` replays one. `make soak` goes
on where these end.
"""

import os
from collections import Counter

import numpy as np
import pytest
from testkit.periods_schedules import ALL_DEVIATIONS, Schedule, check_registry, problems

from collude.common.ids import Round

COUNT = int(os.environ.get("COLLUDE_SCHEDULES", "200"))
ONLY = os.environ.get("COLLUDE_SCHEDULE")
PARTS = 1 if ONLY else 10
MANY = 20


def ended(number, silos=None):
    """Run one schedule; return it, and how its coordinator ended."""
    schedule = Schedule.of(number, silos)
    replay = f"COLLUDE_SCHEDULE={number} replays it: {schedule}"
    try:
        fed = schedule.run()
        found = problems(schedule, fed)
    except Exception as error:
        raise AssertionError(replay) from error
    assert not found, f"{found}\n{replay}"
    return schedule, fed


@pytest.mark.parametrize("part", range(PARTS))
def test_every_period_ends_in_exact_sums_or_by_name(part):
    numbers = [int(ONLY)] if ONLY else range(part, COUNT, PARTS)
    ends = Counter()
    for number in numbers:
        _, fed = ended(number)
        ends[fed.coordinator.round] += 1
    if not ONLY:  # else the schedules would be too kind, or too cruel, to show anything
        assert ends[Round.DONE]
        assert ends[Round.ABORTED]
    print(dict(ends))  # noqa: T201 -- shown with -s, and when the test fails


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_so_it_does_with_twenty_silos(part):
    for number in range(part, MANY, 4):
        schedule, _ = ended(number, 20)
        assert schedule.shape.silos == 20


def test_schedules_hold_all_that_they_should():
    check_registry()
    made = [Schedule.of(number) for number in range(1000)]
    seen = Counter(kind for schedule in made for kind in schedule.deviators.values())
    assert set(seen) == set(ALL_DEVIATIONS)
    assert min(seen.values()) > 20
    assert {schedule.shape.silos for schedule in made} == set(range(3, 9))
    assert {schedule.shape.persons for schedule in made} == set(range(2, 33))
    assert {schedule.shape.epochs for schedule in made} == {1, 2}
    for count in (0, 1, 2, 3):
        assert sum(len(schedule.plan.crash) == count for schedule in made) > 50
    assert sum(schedule.plan.loss > 0.05 for schedule in made) > 100


def test_the_same_number_gives_the_same_run():
    def one(number):
        fed = Schedule.of(number).run()
        sums = [total.tolist() for book in fed.coordinator.books for total in book.sums]
        return fed.network.now, fed.network.counts, sums, str(fed.errors)

    assert one(5) == one(5)
    assert one(5) != one(6)


# --- the checks can fail ---------------------------------------------------------------------


def test_a_wrong_sum_would_be_noticed():
    schedule = next(s for s in map(Schedule.of, range(50)) if not s.deviators and not s.plan.crash)
    fed = schedule.run()
    assert not problems(schedule, fed)
    fed.coordinator.books[0].sums[0][0] += 1
    assert any("is not" in found for found in problems(schedule, fed))


def test_both_secrets_of_one_silo_would_be_noticed():
    schedule = next(s for s in map(Schedule.of, range(50)) if not s.deviators and not s.plan.crash)
    fed = schedule.run()
    (session, name, which), openers = next(iter(fed.opened.items()))
    other = {"self_masks": "mask_keys", "mask_keys": "self_masks"}[which]
    fed.opened[session, name, other] = set(openers)
    found = problems(schedule, fed)
    assert any("opened both secrets" in each for each in found)
    assert any("can be put together" in each for each in found)


def test_a_sum_of_too_few_and_an_overspent_budget_would_be_noticed():
    ours = (s for s in map(Schedule.of, range(99)) if not s.deviators and not s.plan.crash)
    schedule = next(s for s in ours if s.shape.policy == "information")
    fed = schedule.run()
    fed.summed.append(1)
    held = next(iter(fed.holdings.values()))
    held.counts[0] = np.full_like(held.counts[0], 1 << 30)
    assert len(problems(schedule, fed)) >= 2
