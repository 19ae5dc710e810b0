from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collude.common.net.memory import FaultPlan, MemoryNetwork
from collude.common.protocol.parcel import Outgoing, Parcel

BAD = FaultPlan(loss=0.3, duplicate=0.3, reorder=0.3, delay=(0.01, 0.2))


class Chatter:
    """Sends `count` parcels to each peer at once and is finished when it has as many from each."""

    def __init__(self, name: str, peers: Sequence[str], count: int, deadline: float | None = None):
        self.name = name
        self.peers = peers
        self.count = count
        self.deadline = deadline
        self.received: list[Parcel] = []
        self.expired_at: list[float] = []

    @property
    def finished(self) -> bool:
        return bool(self.expired_at) or len(self.received) == self.count * len(self.peers)

    def start(self, now: float) -> list[Outgoing]:
        return [
            Outgoing(peer, "r3_upload", b"", f"{self.name}>{peer}:{index}".encode())
            for index in range(self.count)
            for peer in self.peers
        ]

    def receive(self, parcel: Parcel, now: float) -> list[Outgoing]:
        self.received.append(parcel)
        return []

    def expire(self, now: float) -> list[Outgoing]:
        self.expired_at.append(now)
        return []


class Breaks(Chatter):
    def receive(self, parcel, now):
        raise RuntimeError("broken")


class NeverContent(Chatter):
    """Its deadline is always past, and moves each time it is asked."""

    finished = False  # type: ignore[assignment]

    def expire(self, now):
        super().expire(now)
        self.deadline = -1.0 - len(self.expired_at)
        return []


def mesh(names: Sequence[str], count: int, deadline: float | None = None) -> list[Chatter]:
    return [Chatter(n, [p for p in names if p != n], count, deadline) for n in names]


def network(parties, plan=BAD, seed=0) -> MemoryNetwork:
    return MemoryNetwork(parties, np.random.default_rng(seed), plan)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    loss=st.floats(0, 0.7),
    duplicate=st.floats(0, 1),
    reorder=st.floats(0, 1),
    longest=st.floats(0.01, 1.0),
    parties=st.integers(2, 4),
    count=st.integers(1, 20),
)
def test_every_parcel_arrives_exactly_once_in_order_and_intact(
    seed, loss, duplicate, reorder, longest, parties, count
):
    plan = FaultPlan(loss=loss, duplicate=duplicate, reorder=reorder, delay=(0.01, longest))
    chatters = mesh([f"participant-{i}" for i in range(parties)], count)
    network(chatters, plan, seed).run(until=1e6)
    for chatter in chatters:
        for peer in chatter.peers:
            came = [p for p in chatter.received if p.sender == peer]
            assert [p.sequence for p in came] == list(range(count))
            assert [p.body.decode() for p in came] == [
                f"{peer}>{chatter.name}:{index}" for index in range(count)
            ]


def test_faults_do_happen():
    net = network(mesh(["a", "b"], 50))
    net.run(until=1e4)
    for fault in ("lost", "duplicated", "reordered"):
        assert net.counts[fault] > 0.2 * net.counts["sent"]


def test_the_same_seed_gives_the_same_run_and_another_another():
    def one(seed):
        chatters = mesh(["a", "b", "c"], 10)
        net = network(chatters, seed=seed)
        return net.run(until=1e4), [[(p.sender, p.sequence) for p in c.received] for c in chatters]

    assert one(1) == one(1)
    assert one(1) != one(2)


def test_a_crashed_party_is_silent_and_the_others_end_at_their_deadline():
    chatters = mesh(["a", "b", "c"], 10, deadline=30.0)
    plan = FaultPlan(loss=0.5, delay=(0.5, 1.0), crash={"b": 0.6})
    net = network(chatters, plan)
    assert net.run(until=1e6) == 30.0
    assert chatters[0].expired_at == chatters[2].expired_at == [30.0]
    assert chatters[1].expired_at == []
    assert len(chatters[1].received) < 20
    assert net.failures == {}


def test_a_link_that_loses_everything_ends_at_until():
    net = network(mesh(["a", "b"], 3), FaultPlan(loss=1.0))
    assert net.run(until=5.0) == 5.0
    assert net.counts["sent"] == net.counts["lost"] > 0


def test_what_an_endpoint_raises_is_kept_and_the_others_go_on():
    parties = mesh(["a", "b", "c"], 5, deadline=50.0)
    parties[1] = Breaks("b", ["a", "c"], 5)
    net = network(parties)
    net.run(until=100.0)
    assert isinstance(net.failures.pop("b"), RuntimeError)
    assert net.failures == {}
    assert {p.sender for p in parties[0].received} >= {"c"}


def test_a_parcel_to_nobody_is_its_senders_failure():
    net = network([Chatter("a", ["nobody"], 1), Chatter("b", [], 0)])
    net.run(until=1.0)
    assert isinstance(net.failures["a"], ValueError)


def test_time_goes_on_however_impatient_a_party_is():
    party = NeverContent("a", [], 1, deadline=0.0)
    assert network([party], FaultPlan(delay=(0.1, 0.1))).run(until=2.0) <= 2.0
    assert 1 < len(party.expired_at) < 30


def test_a_party_that_is_finished_is_given_nothing_more():
    parties = [Chatter("a", ["b"], 5), Chatter("b", [], 0), Chatter("c", ["a"], 5)]
    net = network(parties)
    net.run(until=10.0)
    assert parties[1].received == []


@pytest.mark.parametrize("until", [float("inf"), float("nan")])
def test_an_endless_run_is_refused(until):
    with pytest.raises(ValueError, match="finite"):
        network(mesh(["a", "b"], 1)).run(until)


@pytest.mark.parametrize(
    "change",
    [{"loss": 1.1}, {"duplicate": -0.1}, {"reorder": 2}, {"delay": (0.0, 1.0)},
     {"delay": (2.0, 1.0)}, {"delay": (1.0, float("inf"))}],
)  # fmt: skip
def test_a_fault_plan_out_of_range_is_refused(change):
    with pytest.raises(ValueError, match="must be"):
        FaultPlan(**change)


def test_a_network_refuses_names_that_do_not_fit():
    with pytest.raises(ValueError, match="share a name"):
        network(mesh(["a", "a"], 1))
    with pytest.raises(ValueError, match="unknown parties"):
        network(mesh(["a"], 1), FaultPlan(crash={"z": 1.0}))
