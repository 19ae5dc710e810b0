"""Whatever a link does, and whoever crashes, a run ends in the right result or by name.

`COLLUDE_SCHEDULES=2000` tries more of them; `COLLUDE_SCHEDULE=1234` replays one.
"""

import os
from collections import Counter
from functools import cache

from testkit.federation import federation, parties
from testkit.network import talk
from testkit.schedules import DEADLINE_S, Schedule, problems

COUNT = int(os.environ.get("COLLUDE_SCHEDULES", "200"))
ONLY = os.environ.get("COLLUDE_SCHEDULE")
NUMBERS = [int(ONLY)] if ONLY else range(COUNT)


@cache
def faultless(method: str, participants: int) -> str:
    talked = talk(parties(federation(method, participants, deadline_s=DEADLINE_S)))
    assert set(talked.errors.values()) == {None}
    return talked.digest


def test_every_schedule_ends_in_the_right_result_or_by_name():
    ends = Counter()
    for number in NUMBERS:
        schedule = Schedule.of(number)
        try:
            talked = schedule.run()
            found = problems(schedule, talked, faultless(schedule.method, schedule.participants))
        except Exception as error:
            raise AssertionError(f"COLLUDE_SCHEDULE={number} replays it: {schedule}") from error
        assert not found, f"{found}\nCOLLUDE_SCHEDULE={number} replays it: {schedule}"
        ends.update(_kind(schedule, talked))
    print(dict(ends))  # noqa: T201 -- shown with -s, and when the test fails
    if not ONLY:
        _assert_that_everything_happened(ends)


def _kind(schedule, talked):
    living = {name: talked.errors[name] for name in schedule.living}
    crashed = "crash" if schedule.plan.crash else "no crash"
    yield crashed, "finished" if set(living.values()) == {None} else "aborted"
    if schedule.interrupts:
        left = {n: e for n, e in living.items() if n not in schedule.interrupts}
        yield "interrupt", "finished" if set(left.values()) == {None} else "aborted"
    if talked.parties.analyst.terms.left_out:
        yield "restarted", "finished" if talked.errors["analyst"] is None else "aborted"


def _assert_that_everything_happened(ends):
    """Else the schedules would be too kind, or too cruel, to show anything."""
    expected = [("no crash", "finished"), ("restarted", "finished")]
    expected += [(kind, end) for kind in ("crash", "interrupt") for end in ("finished", "aborted")]
    for kind in expected:
        assert ends[kind] > 0.02 * COUNT, (kind, ends)


def test_the_same_number_gives_the_same_run():
    def one(number):
        talked = Schedule.of(number).run()
        parcels = {n: [p.digest() for p in t.parcels] for n, t in talked.transcripts.items()}
        return talked.network.now, talked.network.counts, parcels

    assert one(3) == one(3)
    assert one(3) != one(4)
