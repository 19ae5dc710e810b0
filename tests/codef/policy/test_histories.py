"""Whatever silos use, and whoever is missing: no history spends more than the budget.

The model is of this test, not of the product: silos that hold leases, use them as they like,
close them when they are counted and not before, and may be missing as often as they like.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

from collude.codef.policy import (
    Lot,
    PolicySettings,
    ReleasePolicy,
    Spending,
    allot,
    lease_charges,
    policy_of,
)
from collude.common.errors import ParameterInvalid

Counts = np.ndarray


def budget_of(policy: ReleasePolicy) -> int:
    """Return the counts that may be spent on a person."""
    return policy.slots if policy.unit is None else policy.budget


@dataclass
class Silo:
    """What one silo has answered about each person, and what its lease still allows."""

    attributes: int
    persons: int
    count: Counts = field(init=False)
    answered: Counts = field(init=False)
    level: Counts = field(init=False)
    slots: Counts = field(init=False)

    def __post_init__(self) -> None:
        zeros = np.zeros(self.persons, dtype=np.int64)
        self.count, self.answered, self.slots = zeros.copy(), zeros.copy(), zeros.copy()
        self.level = zeros - 1

    def hold(self, lot: Lot) -> None:
        self.level, self.slots = lot.levels.copy(), lot.slots.copy()

    def use(self, policy: ReleasePolicy, wanted: Counts) -> None:
        used = np.minimum(wanted, np.minimum(self.slots, self.attributes - self.answered))
        charges = np.array([*(policy.charge(level) for level in range(len(policy.levels))), 0])
        self.count += used * charges[self.level]
        self.answered += used
        self.slots -= used

    def close(self) -> None:
        self.slots[:] = 0


def play(
    policy: ReleasePolicy,
    silos: Mapping[str, Silo],
    epochs: int,
    act: Callable[[int, str, int], Counts],
    counted_in: Callable[[int], list[str]],
    spent_of: Callable[[Spending, list[dict[str, Lot]], Counts, list[str]], Counts],
    slots: int,
) -> Counts:
    """Return the most that was ever spent about each person."""
    persons = next(iter(silos.values())).persons
    spending, history = Spending(policy, persons), []
    most = np.zeros(persons, dtype=np.int64)
    total, active = np.zeros(persons, dtype=np.int64), sorted(silos)
    for epoch in range(epochs):
        spent = total if epoch == 0 else spent_of(spending, history, total, active)
        lots = allot(policy.grant(spent, len(active), slots), active, slots, bytes([epoch]))
        spending.grant(lots)
        history.append(lots)
        for name, lot in lots.items():
            silos[name].hold(lot)
        for name, silo in silos.items():
            silo.use(policy, act(epoch, name, slots))
        most = np.maximum(most, sum(silo.count for silo in silos.values()))
        active = counted_in(epoch)
        for name in active:
            silos[name].close()
        total = sum((silos[name].count for name in active), np.zeros(persons, dtype=np.int64))
    return most


def right(spending: Spending, _history, total: Counts, counted: list[str]) -> Counts:
    return spending.spent(total, counted)


def latest_only(policy: ReleasePolicy):
    """Charge the latest lease alone of a silo that was not counted."""

    def spent(_spending, history, total, counted):
        missing = [
            next(lots[name] for lots in reversed(history) if name in lots)
            for name in {name for lots in history for name in lots} - set(counted)
        ]
        return total + sum((lease_charges(policy, lot) for lot in missing), np.zeros_like(total))

    return spent


def forgotten_when_counted(policy: ReleasePolicy):
    """Charge what was granted since a silo was last counted, though its count left the sum."""
    granted: dict[str, Counts] = {}

    def spent(_spending, history, total, counted):
        for name, lot in history[-1].items():
            granted[name] = granted.get(name, 0) + lease_charges(policy, lot)
        for name in counted:
            granted.pop(name, None)
        return total + sum(granted.values(), np.zeros_like(total))

    return spent


def made(name: str, silos: int, **change) -> ReleasePolicy:
    return policy_of(PolicySettings(name, persons=500, silos=silos, **{"attributes": 6, **change}))


TIGHT = [
    ("success", {"max_success": 0.02}),
    ("success", {"max_success": 0.1}),
    ("success", {"max_success": 0.3, "mechanism": "gaussian", "epsilon": 4.0}),
    ("information", {"gamma": 0.2}),
    ("information", {"gamma": 0.5}),
    ("information", {"gamma": 0.3, "mechanism": "gaussian", "epsilon_grid": (6.0, 3.0, 1.5)}),
]


@pytest.mark.parametrize(("name", "change"), TIGHT, ids=str)
@pytest.mark.parametrize("seed", range(12))
def test_random_histories_never_exceed_the_budget(name, change, seed):
    """K from 2 to 8; 400 persons, each with a history of usage of its own."""
    rng = np.random.default_rng([seed, *name.encode()])
    count, slots, epochs = int(rng.integers(2, 9)), int(rng.integers(1, 4)), 8
    policy = made(name, count, **change)
    silos = {f"participant-{i}": Silo(6, 400) for i in range(count)}
    greed, absence = rng.random(400), rng.choice([0.0, 0.2, 0.5, 0.8])

    def act(_epoch: int, _name: str, most: int) -> Counts:
        return rng.binomial(most, np.where(greed > 0.6, 1.0, greed))

    def counted(_epoch: int) -> list[str]:
        here = [name for name in silos if rng.random() >= absence]
        return sorted(here or rng.choice(sorted(silos), 1).tolist())

    most = play(policy, silos, epochs, act, counted, right, slots)
    assert most.max() <= budget_of(policy)
    # the cap holds for each silo, and is not the only reason
    assert max(int(silo.count.max()) for silo in silos.values()) <= policy.cap


@pytest.mark.parametrize(
    ("name", "change"),
    [("success", {"max_success": 0.01}),
     ("information", {"gamma": 0.06, "epsilon_grid": (1.0, 0.5)})],
)  # fmt: skip
def test_every_history_of_three_silos_stays_within_the_budget(name, change):
    """All usages (none or all of each lease) and all sets of counted silos, in three epochs.

    Each person is one history of usage; the sets of counted silos are enumerated around them.
    """
    policy = made(name, 3, attributes=2, **change)
    names = [f"participant-{i}" for i in range(3)]
    usages = np.array(list(itertools.product((0, 1), repeat=9)))  # (512, epoch x silo)
    sets = [list(s) for r in (1, 2, 3) for s in itertools.combinations(names, r)]
    reached = 0
    for plan in itertools.product(sets, repeat=2):
        silos = {name: Silo(2, len(usages)) for name in names}

        def act(epoch: int, name: str, most: int) -> Counts:
            return most * usages[:, 3 * epoch + names.index(name)]

        def counted(epoch: int, plan=plan) -> list[str]:
            return plan[epoch] if epoch < len(plan) else names

        most = play(policy, silos, 3, act, counted, right, 1)
        assert most.max() <= budget_of(policy)
        reached = max(reached, int(most.max()))
    assert reached > 0.8 * budget_of(policy)  # the budget is nearly used: the test can fail


def spent_under(accounting, policy: ReleasePolicy, plan: list[list[str]]) -> float:
    """Return the nats spent when all silos use all they hold, and are counted by plan."""
    names = sorted({name for counted in plan for name in counted})
    silos = {name: Silo(64, 1) for name in names}
    most = play(
        policy, silos, len(plan), lambda _e, _n, most: np.array([most]),
        lambda epoch: plan[epoch], accounting, 1,
    )  # fmt: skip
    return float(most[0]) * policy.unit


ALL = [f"participant-{i}" for i in range(8)]
SOME = ALL[4:]
PLAN = [ALL, ALL, ALL, SOME, SOME, SOME, SOME, SOME]
"""Three epochs with everybody, then four silos are missing."""


@pytest.mark.parametrize("wrong", [latest_only, forgotten_when_counted])
def test_charging_less_than_all_leases_overspends(wrong):
    """Why all leases are charged: the silos that left used them, and are not in the sum.

    n = 500, gamma = 0.5: a budget of 3.107 nats.
    """
    policy = made("information", 8, attributes=64, epsilon_grid=(1.0, 0.5))
    assert budget_of(policy) * policy.unit == pytest.approx(3.107, abs=1e-3)
    kept = spent_under(right, policy, PLAN)
    over = spent_under(wrong(policy), policy, PLAN)
    assert kept <= 3.107
    assert over > 4.0


@pytest.mark.parametrize("wrong", [latest_only, forgotten_when_counted])
def test_charging_less_than_all_leases_answers_too_often(wrong):
    policy = made("success", 8, attributes=64, max_success=0.5)
    names = {name: Silo(64, 1) for name in ALL}
    most = play(
        policy, names, len(PLAN), lambda _e, _n, most: np.array([most]),
        lambda epoch: PLAN[epoch], wrong(policy), 1,
    )  # fmt: skip
    assert most[0] > budget_of(policy)


# --- Spending itself ------------------------------------------------------------------------


def test_a_silo_that_is_not_counted_is_charged_all_its_leases():
    policy = made("success", 3)
    spending = Spending(policy, 2)
    lot = Lot(np.array([0, -1]), np.array([2, 0]))
    spending.grant({"a": lot, "b": lot})
    spending.grant({"a": lot})
    total = np.array([5, 7])
    assert spending.spent(total, ["a", "b"]).tolist() == [5, 7]
    assert spending.spent(total, ["a"]).tolist() == [7, 7]
    assert spending.spent(total, ["b"]).tolist() == [9, 7]
    assert spending.spent(total, ["b"]).tolist() == [9, 7]  # asking changes nothing
    spending.grant({"a": lot, "b": lot})
    assert spending.spent(total, []).tolist() == [5 + 6 + 4, 7]  # counted in between or not
    spending.grant({"a": lot})
    # never more than a silo can count at all (6 attributes)
    assert spending.spent(total, []).tolist() == [5 + 6 + 4, 7]
    assert total.tolist() == [5, 7]


def test_paper_charges_nobody_who_is_missing():
    policy = made("paper", 3)
    spending = Spending(policy, 1)
    spending.grant({"a": Lot(np.array([0]), np.array([6]))})
    assert spending.spent(np.array([4]), []).tolist() == [4]


def test_a_lease_of_others_persons_or_levels_is_refused():
    spending = Spending(made("success", 3), 2)
    with pytest.raises(ParameterInvalid):
        spending.grant({"a": Lot(np.array([0]), np.array([1]))})
    with pytest.raises(ParameterInvalid):
        spending.grant({"a": Lot(np.array([0, 1]), np.array([1, 1]))})
