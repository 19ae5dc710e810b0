"""Random schedules of whole periods, each replayable from its number."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from testkit.periods import Answering, Federation, Shape, federation, meet, some

from collude.common import plugins
from collude.common.ids import COORDINATOR, Role, Round, participant_name
from collude.common.net.fault_plan import FaultPlan

DEADLINE_S = 30.0
SETUP, EPOCH, SPARE = 21, 52, 20
"""Deadlines that a silo waits at most for the beginning of a period, and in each epoch."""
NUMBERS = {
    "information": {"gamma": 0.5, "unit": 1e-3},
    "success": {"max_success": 0.9},
    "paper": {"gamma": 0.8},
}
SILO_DEVIATIONS = (
    *("double-committer", "false-dealer", "head-equivocator", "late-counter"),
    *("over-reporter", "share-shifter", "under-reporter"),
)
COORDINATOR_DEVIATIONS = (
    *("alive-liar", "both-shares", "confirm-forker", "false-lease", "late-false-lease"),
    *("ledger-forker", "replayer", "silo-dropper", "sum-spoiler"),
)
ALL_DEVIATIONS = tuple(sorted((*SILO_DEVIATIONS, *COORDINATOR_DEVIATIONS)))


@dataclass(frozen=True)
class Schedule:
    """One run: who takes part, who deviates, and what happens on the way."""

    number: int
    shape: Shape
    plan: FaultPlan = field(default_factory=FaultPlan)
    deviators: Mapping[str, str] = field(default_factory=dict)
    share: float = 1.0

    @classmethod
    def of(cls, number: int, silos: int | None = None) -> "Schedule":
        """The schedule with this number: always the same one.

        Args:
            number: from 0.
            silos: K; by default drawn from 3 to 8.
        """
        rng = np.random.default_rng([6, number, silos or 0])
        count = silos or int(rng.integers(3, 9))
        policy = str(rng.choice(list(NUMBERS), p=[0.6, 0.2, 0.2]))
        shape = Shape(
            silos=count,
            persons=int(rng.integers(2, 33)),
            epochs=int(rng.integers(1, 3)),
            periods=1 + int(rng.random() < 0.1),
            attributes=int(rng.integers(1, 5)),
            slots=int(rng.integers(1, 3)),
            deadline_s=DEADLINE_S,
            policy=policy,
            numbers=NUMBERS[policy],
            seed=number,
        )
        return cls(
            number, shape, _plan(rng, shape), _deviators(rng, count), float(rng.choice([1.0, 0.4]))
        )

    def run(self) -> Federation:
        rng = np.random.default_rng([8, self.number])
        names = [participant_name(i) for i in range(self.shape.silos)]
        fed = federation(self.shape, {name: Answering(some(rng, self.share)) for name in names})
        return meet(fed, deviators=self.deviators, plan=self.plan, seed=self.number)

    @property
    def honest(self) -> list[str]:
        """Who neither crashes nor deviates."""
        names = [COORDINATOR, *(participant_name(i) for i in range(self.shape.silos))]
        return [n for n in names if n not in self.plan.crash and n not in self.deviators]

    @property
    def longest_s(self) -> float:
        periods, epochs = self.shape.periods, self.shape.epochs
        return (periods * (SETUP + EPOCH * epochs) + SPARE) * DEADLINE_S


def _plan(rng, shape) -> FaultPlan:
    longest = float(rng.choice([0.01, 0.3, 2.0]))
    level = float(rng.choice([0.0, 0.1, 0.4]))
    loss, duplicate, reorder = (float(level * rng.random()) for _ in range(3))
    names = [COORDINATOR, *(participant_name(i) for i in range(shape.silos))]
    crashed = int(rng.choice([0, 1, 2, 3], p=[0.4, 0.3, 0.2, 0.1]))
    # A silo more often than the coordinator, without whom there is nothing to see.
    weights = np.array([0.3, *[1.0] * shape.silos])
    chosen = rng.choice(names, size=crashed, replace=False, p=weights / weights.sum())
    # Each epoch without faults takes some sixteen delays, and the beginning some eight.
    until = (10 + 20 * shape.epochs) * longest
    return FaultPlan(
        loss=loss,
        duplicate=duplicate,
        reorder=reorder,
        delay=(longest / 10, longest),
        crash={str(name): float(rng.uniform(0.0, until)) for name in chosen},
    )


def _deviators(rng, silos) -> dict[str, str]:
    if rng.random() < 0.25:
        return {}
    kind = str(rng.choice(ALL_DEVIATIONS))
    if kind in COORDINATOR_DEVIATIONS:
        return {COORDINATOR: kind}
    return {participant_name(int(rng.integers(silos))): kind}


def problems(schedule: Schedule, fed: Federation) -> list[str]:
    """What is wrong with how a run ended; nothing if it ended as it may."""
    found = []
    if fed.network.now > schedule.longest_s:
        found.append(f"it took {fed.network.now} simulated seconds")
    for name in schedule.honest:
        found += _ended(fed.named(name))
    found += _secrets(schedule, fed)
    if COORDINATOR not in schedule.deviators:
        found += _sums(fed)
        found += _budgets(schedule, fed)
    return found


def _ended(session):
    error = session.error
    if not session.finished:
        yield f"{session.name} hangs in {session.round}"
    if error is not None and not (error.party and error.field and error.reason):
        yield f"{session.name} does not say who, where or why: {error!r}"
    if (session.round is Round.ABORTED) != (error is not None):
        yield f"{session.name} ended in {session.round} with {error!r}"


def _secrets(schedule, fed):
    """Whoever lies: no silo's two secrets are opened, and no sum of too few."""
    # A silo that deviates may do as it likes with the shares that it holds; the others may not.
    honest = set(fed.silos) - set(schedule.deviators)
    for session, name, _ in list(fed.opened):
        mine, theirs = (
            fed.opened.get((session, name, which), set()) & honest
            for which in ("self_masks", "mask_keys")
        )
        if mine & theirs:
            yield f"{mine & theirs} opened both secrets of {name}"
        least = fed.terms[0].threshold - len(set(fed.silos) - honest)
        if min(len(mine), len(theirs)) >= least:
            yield f"both secrets of {name} can be put together"
    if any(summed < fed.terms[0].least for summed in fed.summed):
        yield f"a sum of {min(fed.summed)} silos was opened"


def _sums(fed):
    """With an honest coordinator, every sum is that of what the silos in it committed to."""
    for book in fed.coordinator.books:
        for epoch, total in enumerate(book.sums):
            counted = book.facts[epoch + 1].counted
            true = fed.true_sum(book.terms.period, epoch, counted)
            if not np.array_equal(total, true):
                yield f"period {book.terms.period}, epoch {epoch}: {total} is not {true}"
            if len(counted) < book.terms.least:
                yield f"a sum of {counted}"
        if fed.coordinator.round is Round.DONE and len(book.sums) != book.terms.epochs:
            yield f"{len(book.sums)} sums of {book.terms.epochs} epochs"


def _budgets(schedule, fed):
    """What silos answered that count honestly stays within the budget, whoever crashed."""
    if {"under-reporter", "late-counter"} & set(schedule.deviators.values()):
        return  # what they hide is granted again: tests/adversary/codef measures it
    for terms in fed.terms:
        charged = [
            h.counts[terms.period] for h in fed.holdings.values() if terms.period in h.counts
        ]
        budget = budget_of(terms.policy)
        if charged and budget is not None and sum(charged).max() > budget:
            yield f"{sum(charged).max()} was spent of {budget}"


def budget_of(policy) -> int | None:
    """All that may be counted about one person, all silos together; None: there is no limit."""
    if policy.name == "information":
        return policy.budget
    return policy.slots if policy.name == "success" else None


def check_registry() -> None:
    """Every registered deviation is in the schedules."""
    kinds = plugins.load(plugins.DEVIATORS)
    mine = {name for name, kind in kinds.items() if kind.role is Role.PARTICIPANT}
    assert mine == set(SILO_DEVIATIONS)
    assert set(kinds) - mine == set(COORDINATOR_DEVIATIONS)
