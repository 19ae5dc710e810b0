"""Whole sessions: the exact sum of those that sent, or an end with stage and reason."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit.aggregation import aggregation, entropy, finish, start

from collude.codef.secagg import (
    STAGES,
    AggregationAborted,
    Client,
    Server,
    harary_graph,
    simulate,
)
from collude.common.errors import ParameterInvalid

BEFORE_SUM = STAGES[:3]
GOOD = [[1, 2], [3, 4], [5, 6], [7, 8]]

BAD = {
    "two silos": {"vectors": GOOD[:2], "threshold": 2},
    "nobody": {"vectors": [], "threshold": 2},
    "t = 1": {"threshold": 1},
    "t above K": {"threshold": 5},
    "unknown stage": {"dropouts": {0: "adapt"}},
    "unknown silo": {"dropouts": {4: "unmask"}},
    "negative silo": {"dropouts": {-1: "unmask"}},
    "unknown graph": {"graph": "ring"},
    "no bits": {"modulus_bits": 0},
    "too many bits": {"modulus_bits": 65},
    "negative seed": {"seed": -1},
    "differing lengths": {"vectors": [[1], [1, 2], [1, 2]]},
    "no persons": {"vectors": [[], [], []]},
    "a table": {"vectors": [[[1]], [[1]], [[1]]]},
    "a number": {"vectors": [1, 2, 3]},
    "negative count": {"vectors": [[1, -2], [3, 4], [5, 6]]},
    "not whole": {"vectors": [[1.5, 2], [3, 4], [5, 6]]},
    "could wrap": {"vectors": [[64], [0], [0], [0]], "modulus_bits": 8},
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD)
def test_arguments_out_of_range_are_refused(arguments):
    with pytest.raises(ParameterInvalid):
        simulate(**{"vectors": GOOD, "threshold": 2, **arguments})


def left_at(dropouts, stage, silos):
    order = STAGES.index(stage)
    return [i for i in range(silos) if i not in dropouts or STAGES.index(dropouts[i]) > order]


@st.composite
def sessions(draw):
    silos = draw(st.integers(3, 9))
    threshold = draw(st.integers(2, silos))
    dropouts = draw(
        st.dictionaries(st.integers(0, silos - 1), st.sampled_from([str(s) for s in STAGES]))
    )
    bits = draw(st.sampled_from([8, 13, 16, 24, 32, 47, 64]))
    return silos, threshold, dropouts, bits


@given(sessions(), st.sampled_from(["complete", "harary"]), st.integers(0, 99), st.integers(1, 9))
def test_the_sum_is_that_of_the_silos_that_sent_or_the_session_ends_in_the_right_stage(
    session, graph, seed, length
):
    silos, threshold, dropouts, bits = session
    most = (2**bits - 1) // silos
    rng = np.random.default_rng(seed)
    vectors = rng.integers(0, most, (silos, length), dtype=np.uint64, endpoint=True)
    late = [s for s in STAGES if len(left_at(dropouts, s, silos)) < threshold]
    if late:
        with pytest.raises(AggregationAborted) as caught:
            simulate(list(vectors), threshold, dropouts, graph, bits, seed)
        assert caught.value.stage == late[0]
        assert caught.value.reason
        return
    total = simulate(list(vectors), threshold, dropouts, graph, bits, seed)
    summed = left_at(dropouts, "masked_input", silos)
    expected = [sum(int(v) for v in column) for column in vectors[summed].T]
    assert total.dtype == np.uint64
    assert total.tolist() == expected
    assert (total == vectors[summed].sum(axis=0, dtype=np.uint64)).all()


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("graph", ["complete", "harary"])
def test_a_silo_that_falls_silent_counts_once_it_has_sent(stage, graph):
    vectors = [[10**i] for i in range(7)]
    total = simulate(vectors, 4, {1: stage, 5: stage}, graph)
    gone = 100010 if stage in BEFORE_SUM else 0
    assert total.tolist() == [1111111 - gone]


@given(st.data())
def test_sparse_graphs_of_any_degree_give_the_same_sum(data):
    silos = data.draw(st.integers(6, 12))
    degree = 2 * data.draw(st.integers(2, (silos - 2) // 2))
    graph = harary_graph(silos, degree, 2, data.draw(st.binary(min_size=32, max_size=32)))
    fed = aggregation(
        silos=silos, threshold=silos - 2, graph=graph, seed=data.draw(st.integers(0, 9))
    )
    gone = data.draw(st.lists(st.sampled_from(fed.names), max_size=2, unique=True))
    stages = data.draw(st.lists(st.sampled_from(STAGES), min_size=2, max_size=2))
    silent = {}
    for name, stage in zip(gone, stages, strict=False):
        for later in STAGES[STAGES.index(stage) :]:
            silent[later] = (*silent.get(later, ()), name)
    total = finish(start(fed), silent)
    assert (total == fed.total(fed.server.silos)).all()
    assert set(fed.names) - set(fed.server.silos) == set(silent.get("masked_input", ()))


def test_a_hundred_silos_in_a_validated_sparse_graph():
    rng = np.random.default_rng(3)
    vectors = rng.integers(0, 1000, (60, 3))
    dropouts = {i: str(STAGES[i % 5]) for i in range(6)}
    total = simulate(list(vectors), 50, dropouts, "harary", seed=4)
    sent = left_at(dropouts, "masked_input", 60)
    assert (total == vectors[sent].sum(axis=0).astype(np.uint64)).all()


def test_sessions_repeat_under_a_seed_and_differ_between_seeds():
    first, again, other = (aggregation(seed=s, counts=[[1, 2, 3, 4]] * 5) for s in (1, 1, 2))
    keys = [[client.start() for client in fed.clients.values()] for fed in (first, again, other)]
    assert keys[0] == keys[1]
    assert not {k.mask_key for k in keys[0]} & {k.mask_key for k in keys[2]}


def test_a_new_session_has_fresh_keys_under_the_same_entropy():
    one, two = (aggregation(session=bytes([i] * 32)) for i in (1, 2))
    for name in one.names:
        a, b = one.clients[name].start(), two.clients[name].start()
        assert not {a.mask_key, a.envelope_key, a.self_mask_hash} & {
            b.mask_key, b.envelope_key, b.self_mask_hash,
        }  # fmt: skip


def test_simulate_drives_the_classes_of_the_service(monkeypatch):
    made = []
    for kind in (Client, Server):
        original = kind.__init__

        def counted(self, *args, _original=original, _kind=kind):
            made.append(_kind)
            _original(self, *args)

        monkeypatch.setattr(kind, "__init__", counted)
    simulate(GOOD, 3)
    assert made == [Client] * 4 + [Server]


def test_clients_of_the_operating_systems_entropy_agree_too():
    fed = aggregation()
    fed.clients = {
        name: Client(
            fed.terms, name, fed.counts[name], fed.keys[name], type(entropy(name)).from_system()
        )
        for name in fed.names
    }
    assert (finish(start(fed)) == fed.total()).all()
