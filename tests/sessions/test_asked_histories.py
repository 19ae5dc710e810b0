"""Histories of everything at once: real answers, a careless querier, bad links, crashes.

However it goes, what the silos' books hold about a person is within the budget of its period.
`COLLUDE_HISTORIES=400` tries more; that was done once.
"""

import os
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from testkit.periods import Shape, federation

from collude.codef.policy import PolicySettings, noise_of
from collude.codef.release import Answerer, MemoryBook
from collude.codef.risk import success_bound, success_bound_gaussian
from collude.common.data.persons import SiloTable
from collude.common.errors import ParameterInvalid
from collude.common.ids import Round
from collude.common.net.fault_plan import FaultPlan
from collude.common.net.memory import MemoryNetwork
from collude.common.protocol import release_messages as r
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.parcel import Outgoing
from collude.participant.codef.holdings import PersonHoldings

COUNT = int(os.environ.get("COLLUDE_HISTORIES", "20"))


@dataclass
class Careless:
    """A querier that asks at random: again, outside windows, of other epochs, with and without end.

    Attributes:
        over: whether everybody else has ended.
    """

    shape: Shape
    rng: np.random.Generator
    over: object = None
    name: str = "attacker"
    deadline: None = None
    handles: dict = field(default_factory=dict)

    @property
    def finished(self):
        return self.over()

    def start(self, now):
        return []

    def expire(self, now):
        return []

    def receive(self, parcel, now):
        message, dice = decode_message(parcel.body), self.rng.random()
        if isinstance(message, r.Window) and message.open:
            if message.handles:
                self.handles[parcel.sender] = message.handles
            times = 0 if dice < 0.1 else int(self.rng.integers(1, 5))
            return [self._asks(parcel, message.epoch) for _ in range(times)]
        again = isinstance(message, r.Answer) and dice < 0.2
        late = isinstance(message, r.Receipts) and dice < 0.5
        epoch = getattr(message, "epoch", 0) + int(late and self.rng.integers(0, 2))
        return [self._asks(parcel, epoch)] if again or late else []

    def _asks(self, parcel, epoch):
        shape, shown = self.shape, self.handles[parcel.sender]
        count = int(self.rng.integers(0, shape.persons * shape.attributes + 1))
        chosen = self.rng.integers(0, shape.persons, count)
        query = r.Query(
            epoch,
            b"".join(shown[16 * at : 16 * at + 16] for at in chosen),
            self.rng.integers(0, shape.attributes, count),
            last=bool(self.rng.random() < 0.5),
        )
        return Outgoing(parcel.sender, Round.QUERY.value, parcel.session, encode_message(query))


def numbers_of(policy, persons, rng):
    if policy == "success":
        risk = float(rng.uniform(1.05 / persons, 0.95))
        return {"max_success": risk, "epsilon": float(rng.choice([0.5, 1.0, 2.0, 4.0]))}
    grid = rng.choice([0.25, 0.5, 1.0, 2.0, 3.0], size=int(rng.integers(1, 4)), replace=False)
    return {
        "gamma": float(rng.uniform(0.1, 1.0)),
        "epsilon_grid": tuple(map(float, grid)),
        "unit": float(rng.choice([1e-4, 1e-2, 0.05])),
    }


def shape_of(seed, rng):
    silos, persons = int(rng.integers(3, 7)), int(rng.integers(4, 10))
    policy = str(rng.choice(["success", "information"]))
    mechanism = str(rng.choice(["rr", "gaussian"], p=[0.7, 0.3]))
    return Shape(
        silos=silos,
        persons=persons,
        epochs=int(rng.integers(2, 6)),
        periods=int(rng.integers(1, 3)),
        attributes=int(rng.integers(1, 5)),
        slots=int(rng.integers(1, 4)),
        threshold=silos // 2 + 1 if rng.random() < 0.5 else None,
        min_silos=1 if rng.random() < 0.3 else 3,
        policy=policy,
        numbers={"mechanism": mechanism, **numbers_of(policy, persons, rng)},
        querier="attacker",
        seed=seed,
    )


def plan_of(fed, rng):
    most = len(fed.silos) - fed.terms[0].least
    names = rng.choice(sorted(fed.silos), size=int(rng.integers(0, most + 1)), replace=False)
    until = 40.0 if rng.random() < 0.5 else 0.2
    return FaultPlan(
        delay=(0.01, float(rng.uniform(0.3, 0.8))) if rng.random() < 0.6 else (0.001, 0.002),
        loss=float(rng.uniform(0, 0.15)),
        reorder=float(rng.uniform(0, 0.1)),
        duplicate=float(rng.uniform(0, 0.1)),
        crash={str(name): float(rng.uniform(0, until)) for name in names},
    )


def played(seed):
    """Return the federation, its settings and the silos' books; None where no answer is safe."""
    rng = np.random.default_rng([seed, 77])
    shape = shape_of(seed, rng)
    try:
        fed = federation(shape)
    except ParameterInvalid:
        return None
    sizes = shape.persons, shape.silos, shape.attributes
    settings = PolicySettings(shape.policy, *sizes, **shape.numbers)
    books = {name: MemoryBook() for name in fed.silos}
    for name, session in fed.silos.items():
        core = session.core
        tables = [
            SiloTable(
                rng.integers(0, 2, (shape.persons, shape.attributes)).astype(np.int8),
                rng.random(shape.persons) < 0.7,
            )
            for _ in range(shape.periods)
        ]
        answerer = Answerer(name, core.signing_key, core.entropy, books[name])
        holdings = PersonHoldings(answerer, tables, [settings] * shape.periods)
        session.core = replace(core, holdings=holdings)
    plan = plan_of(fed, rng)
    over = lambda: all(s.finished or s.name in plan.crash for s in fed.sessions)  # noqa: E731
    querier = Careless(shape, np.random.default_rng([seed, 5]), over)
    network = MemoryNetwork([*fed.sessions, querier], np.random.default_rng(seed), plan)
    network.run(3000.0)
    assert not network.failures
    assert over()
    return fed, settings, books


def answers_of(books, cohort, shape):
    """How many answers of each level the books hold about each person, (n, levels)."""
    told = np.zeros(shape, dtype=int)
    for book in books.values():
        for (of, person, _), (level, _) in book._answers.items():
            told[person, level] += of == cohort
    return told


@pytest.mark.parametrize("seed", range(COUNT))
def test_no_history_answers_more_than_the_budget(seed):
    ran = played(seed)
    if ran is None:
        return
    fed, settings, books = ran
    policy, noise = fed.terms[0].policy, noise_of(settings)
    for cohort in range(len(fed.terms)):
        told = answers_of(books, cohort, (settings.persons, len(policy.levels)))
        if policy.name == "information":
            nats = told @ np.array([noise.information(level) for level in policy.levels])
            assert nats.max() <= settings.gamma * np.log(settings.persons)
            continue
        most, level = int(told.sum(axis=1).max()), policy.levels[0]
        assert most <= policy.slots
        bound = (
            success_bound(settings.persons, [(level, most)])
            if settings.mechanism == "rr"
            else success_bound_gaussian(settings.persons, 1.0, noise.sigma(level), most)
        )
        assert float(bound) <= settings.max_success


def test_these_histories_use_budgets_up_and_lose_silos_on_the_way():
    """Else the test above would show nothing."""
    full = missed = done = 0
    for seed in range(12):
        ran = played(seed)
        if ran is None:
            continue
        fed, settings, books = ran
        policy = fed.terms[0].policy
        told = answers_of(books, 0, (settings.persons, len(policy.levels)))
        full += policy.name == "success" and int(told.sum(axis=1).max()) == policy.slots
        missed += sum(bool(f.missing) for book in fed.coordinator.books for f in book.facts)
        done += fed.coordinator.error is None
    assert full
    assert missed
    assert done
