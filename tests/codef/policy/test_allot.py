"""Slots are shared out as granted: never more, and to nobody more often than to others."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from collude.codef.policy import Grant, PolicySettings, allot, policy_of
from collude.common.errors import ParameterInvalid


def grant_of(totals, levels=None, *, leased=True) -> Grant:
    total = np.array(totals, dtype=np.int64)
    given_ = np.zeros_like(total) if levels is None else np.array(levels)
    return Grant(given_, total, leased=leased)


def names(count: int) -> list[str]:
    return [f"participant-{i}" for i in range(count)]


@pytest.mark.parametrize(("silos", "slots"), [([], 1), (["a", "a"], 1), (["a"], 0)])
def test_bad_arguments_are_refused(silos, slots):
    with pytest.raises(ParameterInvalid):
        allot(grant_of([1]), silos, slots, b"")


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=30),
    st.integers(1, 12),
    st.integers(1, 5),
    st.binary(max_size=40),
)
def test_slots_add_up_to_the_total_and_no_further(totals, silos, each, seed):
    levels = [0 if total else -1 for total in totals]
    lots = allot(grant_of(totals, levels), names(silos), each, seed)
    assert sorted(lots) == sorted(names(silos))
    given_ = np.stack([lot.slots for lot in lots.values()])
    assert given_.dtype == np.int64
    assert (given_ >= 0).all()
    assert (given_ <= each).all()
    assert given_.sum(axis=0).tolist() == [min(total, silos * each) for total in totals]
    # whole leases, but for one silo that gets the rest
    assert ((given_ > 0) & (given_ < each)).sum(axis=0).max() <= 1
    for lot in lots.values():
        assert ((lot.levels == -1) == (lot.slots == 0)).all()


@given(st.lists(st.sampled_from([0, 15, 30]), min_size=1, max_size=9), st.integers(1, 6))
def test_without_leases_all_get_all(totals, silos):
    total = [silos * part for part in totals]
    lots = allot(grant_of(total, [0 if t else -1 for t in total], leased=False),
                 names(silos), 1, b"s")  # fmt: skip
    for lot in lots.values():
        assert lot.slots.tolist() == totals
        assert lot.levels.tolist() == [0 if part else -1 for part in totals]


def test_papers_grant_gives_every_silo_every_attribute():
    policy = policy_of(PolicySettings("paper", persons=500, silos=4, attributes=3))
    lots = allot(policy.grant(np.array([0, 28, 900]), 4, 1), names(4), 1, b"")
    for lot in lots.values():
        assert lot.slots.tolist() == [3, 3, 0]
        assert lot.levels.tolist() == [0, 1, -1]


def test_the_same_bytes_give_the_same_lots_whatever_the_order_of_names():
    grant = grant_of(range(20))
    first = allot(grant, names(7), 2, b"seed")
    again = allot(grant, names(7)[::-1], 2, b"seed")
    assert all(np.array_equal(first[name].slots, again[name].slots) for name in first)
    other = allot(grant, names(7), 2, b"other")
    assert any(not np.array_equal(first[name].slots, other[name].slots) for name in first)


def test_who_is_first_is_what_an_independent_reading_of_the_stream_says():
    """SHAKE-256 over length-prefixed tag and seed, 8 bytes a person, little-endian, modulo K."""
    silos, seed = names(11), b"epoch 3"
    tag = b"codef/v1/allot"
    prefixed = b"".join(len(x).to_bytes(4, "big") + x for x in (tag, seed))
    stream = hashlib.shake_256(prefixed).digest(8 * 50)
    lots = allot(grant_of([1] * 50), silos, 1, seed)
    for person in range(50):
        first = int.from_bytes(stream[8 * person : 8 * person + 8], "little") % 11
        assert [name for name in silos if lots[name].slots[person]] == [sorted(silos)[first]]


def test_all_are_first_equally_often():
    """Chi-square over 40,000 persons and 7 silos; false alarm 1e-6. The seed is fixed."""
    persons, silos = 40_000, names(7)
    lots = allot(grant_of([1] * persons), silos, 1, b"fair")
    seen = np.array([lots[name].slots.sum() for name in silos])
    expected = persons / len(silos)
    assert float(((seen - expected) ** 2 / expected).sum()) < chi2.isf(1e-6, len(silos) - 1)
