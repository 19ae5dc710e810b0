"""Random schedules of faults, each replayable from its number."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from testkit.federation import Parties, federation, parties
from testkit.network import Talk, talk

from collude.common.ids import ANALYST, Round
from collude.common.net.fault_plan import FaultPlan

METHODS = ("naa-gdp", "c-gdp", "i-gdp", "local", "aa-gdp-noise")
DEADLINE_S = 30.0
LONGEST_S = 4 * 45 * DEADLINE_S
"""Four attempts of a session whose rounds together wait for at most 45 deadlines."""


@dataclass(frozen=True)
class Schedule:
    """One run: who takes part, and what happens on the way. Its repr is what replays it."""

    number: int
    method: str
    participants: int
    plan: FaultPlan = field(default_factory=FaultPlan)
    interrupts: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, number: int) -> "Schedule":
        """The schedule with this number: always the same one."""
        rng = np.random.default_rng([20, number])
        count = int(rng.integers(2, 5))
        method = str(rng.choice(METHODS, p=[0.6, 0.1, 0.1, 0.1, 0.1]))
        longest = float(rng.choice([0.01, 0.3, 2.0]))
        level = float(rng.choice([0.0, 0.1, 0.4]))
        loss, duplicate, reorder = (float(level * rng.random()) for _ in range(3))
        names = [ANALYST, *(f"participant-{i}" for i in range(count))]
        # A run without faults takes some fifteen delays.
        crash, interrupt = (
            {str(rng.choice(names)): float(rng.uniform(0.0, 20 * longest))} for _ in range(2)
        )
        return cls(
            number,
            method,
            count,
            FaultPlan(
                loss=loss,
                duplicate=duplicate,
                reorder=reorder,
                delay=(longest / 10, longest),
                crash=crash if rng.random() < 0.4 else {},
            ),
            interrupt if rng.random() < 0.2 else {},
        )

    def run(self) -> Talk:
        fed = federation(self.method, self.participants, deadline_s=DEADLINE_S)
        made = parties(fed)
        return talk(made, plan=self.plan, seed=self.number, interrupts=self.interrupts)

    @property
    def living(self) -> set[str]:
        names = {ANALYST, *(f"participant-{i}" for i in range(self.participants))}
        return names - set(self.plan.crash)


def problems(schedule: Schedule, talked: Talk, faultless: str) -> list[str]:
    """What is wrong with how a run ended; nothing if it ended as it may."""
    made, found = talked.parties, []
    if talked.network.now > LONGEST_S:
        found.append(f"it took {talked.network.now} simulated seconds")
    for name in schedule.living:
        session = made.named(name)
        if not session.finished:
            found.append(f"{name} hangs in {session.round}")
        if session.error is not None and not session.error.party:
            found.append(f"{name} names nobody: {session.error}")
        if session.round is Round.ABORTED and session.error is None:
            found.append(f"{name} gave up without a word")
    return found + _wrong_results(schedule, talked, faultless)


def _wrong_results(schedule: Schedule, talked: Talk, faultless: str) -> list[str]:
    made, found = talked.parties, []
    done = {n for n in schedule.living if made.named(n).round is Round.DONE}
    everybody = done == schedule.living and not schedule.plan.crash
    if everybody and not made.analyst.terms.left_out and talked.digest != faultless:
        found.append(f"another digest than without faults: {talked.digest}")
    stayed = set(made.analyst.terms.participants)
    if ANALYST in done:
        found += _wrong_counts(made, stayed)
    seeds = {made.silos[n].seed for n in done - {ANALYST}}
    if len(seeds) > 1:
        found.append("participants that finished hold different seeds")
    if not done - {ANALYST} <= stayed:
        found.append("somebody finished that was left out")
    return found


def _wrong_counts(made: Parties, stayed: set[str]) -> list[str]:
    total, rows = made.analyst.counts.total, 2 * len(stayed)
    return [] if total == rows else [f"{total} records counted of {rows}"]
