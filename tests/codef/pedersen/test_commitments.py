"""Commitments: what cannot be committed to is refused; sums; and what a blinding does."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit import independent_edwards as plain

from collude.codef.pedersen import Blinding, add, commit
from collude.codef.pedersen.commitments import generator
from collude.codef.pedersen.group import ORDER, multiply, summed
from collude.common.errors import ParameterInvalid
from collude.common.randomness import Entropy, party_seed

R = Blinding(12345)
COUNTS = {
    "negative": [1, -1], "floats": [1.0, 2.0], "truth values": [True, False], "words": ["1"],
    "a table": [[1, 2]], "a number": 3, "beyond 64 bits": [2**64],
}  # fmt: skip


@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
def test_counts_that_are_none_are_refused(counts):
    with pytest.raises(ParameterInvalid) as caught:
        commit(counts, R)
    assert caught.value.field == "counts"


@pytest.mark.parametrize("scalar", [0, -1, ORDER, ORDER + 5, 2**256, 1.5, b"1", None])
def test_a_blinding_out_of_range_is_refused_and_not_shown(scalar):
    with pytest.raises(ParameterInvalid) as caught:
        Blinding(scalar)
    assert caught.value.field == "blinding"
    assert str(scalar) not in str(caught.value).replace("from 1 to l - 1", "")


@pytest.mark.parametrize("scalar", [1, ORDER - 1])
def test_a_blinding_at_the_ends_of_its_range_is_taken(scalar):
    assert commit([0], Blinding(scalar)) == plain.commitment([0], scalar)


def test_a_blinding_is_neither_shown_nor_pickled_nor_copied():
    assert repr(R) == "Blinding()"
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled"):
            copied(R)


@pytest.mark.parametrize("bad", [bytes(32), bytes(31), b"\xff" * 32, plain.encode(plain.IDENTITY)])
def test_what_is_no_commitment_is_not_added(bad):
    with pytest.raises(ValueError, match="point"):
        add([commit([1], R), bad])


# --- what they are --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "scalar"),
    [([], 7), ([0, 0, 0], 7), ([1], 1), ([0, 5, 0, 1000], ORDER - 1), ([2**64 - 1, 3], 2**200)],
)
def test_a_commitment_is_that_of_whole_numbers(counts, scalar):
    assert commit(np.array(counts, np.uint64), Blinding(scalar)) == plain.commitment(counts, scalar)


vectors = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4)
scalars = st.integers(1, ORDER - 1)


@given(st.lists(st.tuples(vectors, scalars), min_size=1, max_size=4))
def test_the_sum_of_commitments_is_the_commitment_to_the_sum(silos):
    width = max(len(counts) for counts, _ in silos)
    table = [counts + [0] * (width - len(counts)) for counts, _ in silos]
    made = [
        commit(counts, Blinding(scalar)) for counts, (_, scalar) in zip(table, silos, strict=True)
    ]
    total = [sum(column) for column in zip(*table, strict=True)]
    scalar = sum(scalar for _, scalar in silos) % ORDER
    if scalar:
        assert add(made) == commit(total, Blinding(scalar))


def test_the_sum_agrees_with_whole_numbers():
    one, two = [3, 0, 1], [0, 65535, 2]
    made = add([commit(one, Blinding(10**70)), commit(two, Blinding(10**71))])
    assert made == plain.commitment([3, 65535, 3], 11 * 10**70)


def test_every_count_place_and_blinding_changes_a_commitment():
    made = [
        commit([1, 2, 0], R),
        commit([2, 1, 0], R),
        commit([1, 2, 1], R),
        commit([1, 2, 0], Blinding(1)),
    ]
    assert len(set(made)) == 4
    assert commit([1, 2], R) == made[0]  # zeros behind are nothing


def test_zeros_cost_nothing():
    """Only the generators of counted persons are made."""
    counts = np.zeros(200_000, dtype=np.uint64)
    counts[[150_001, 199_999]] = 4, 5
    before = generator.cache_info()
    made = commit(counts, R)
    after = generator.cache_info()
    assert after.misses - before.misses <= 2
    assert after.hits + after.misses - before.hits - before.misses == 2
    parts = multiply(4, generator(150_001)), multiply(5, generator(199_999)), commit([0], R)
    assert made == summed(parts)


def drawn(name="participant-0", session=bytes(32), seed=0):
    return Blinding.drawn(Entropy(party_seed(seed, name), simulated=True), session)


def test_a_blinding_is_of_its_silo_its_session_and_its_seed():
    made = [drawn(), drawn("participant-1"), drawn(session=bytes([1] * 32)), drawn(seed=1)]
    assert len({one.scalar for one in made}) == 4
    assert drawn().scalar == made[0].scalar


def test_blindings_are_spread_over_the_whole_range():
    scalars = np.array([drawn(seed=i).scalar / ORDER for i in range(2000)])
    counts, _ = np.histogram(scalars, bins=20, range=(0, 1))
    assert ((counts - 100) ** 2 / 100).sum() < 43.8  # chi-square, 19 degrees: false alarm 0.1 %
