"""Counts with limbs behind them: terms that cannot hold, exact sums, and what limbs tell."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit.aggregation import terms_of

from collude.codef.pedersen import Blinding, blinded_terms, blinded_vector, split_sum
from collude.codef.pedersen.group import ORDER
from collude.codef.pedersen.vectors import joined_limbs, limbs_of
from collude.codef.secagg import Modulus
from collude.common.errors import AggregationAborted, ParameterInvalid

R = Blinding(10**75)
TERMS, _ = terms_of(cap=1000)


@pytest.mark.parametrize(("silos", "bits"), [(3, 17), (5, 18), (5, 16), (5, 8)])
def test_terms_whose_limbs_could_wrap_are_refused(silos, bits):
    made, _ = terms_of(silos=silos, cap=1, bits=bits)
    with pytest.raises(ParameterInvalid) as caught:
        blinded_terms(made)
    assert (caught.value.field, caught.value.got) == ("silos", str(silos))


@pytest.mark.parametrize(("silos", "bits"), [(4, 18), (5, 19), (200, 24)])
def test_terms_whose_limbs_cannot_wrap_are_taken(silos, bits):
    made, _ = terms_of(silos=silos, cap=1, bits=bits, threshold=silos)
    grown = blinded_terms(made)
    assert silos * 65535 < 2**bits
    assert grown.length == made.length + 16


@pytest.mark.parametrize(("cap", "grown"), [(1, 65535), (65535, 65535), (65536, 65536)])
def test_the_cap_is_the_greater_one_and_all_else_stays(cap, grown):
    made, _ = terms_of(cap=cap)
    larger = blinded_terms(made)
    assert (larger.length, larger.cap) == (20, grown)
    assert replace(larger, length=made.length, cap=cap) == made
    assert larger.hash != made.hash


@pytest.mark.parametrize(
    "counts", [[1, 2, 3, 1001], [0, 0, 0, 65535], [1, 2, 3], [1, -1, 0, 0], [1, 2, 3, 4, 5]]
)
def test_a_count_above_c_max_is_refused_though_the_common_cap_is_greater(counts):
    with pytest.raises(ParameterInvalid) as caught:
        blinded_vector(TERMS, counts, R)
    assert caught.value.field == "counts"


def test_counts_that_decreased_are_refused():
    assert blinded_vector(TERMS, [1, 2, 3, 4], R, previous=[1, 2, 3, 4]).size == 20
    with pytest.raises(ParameterInvalid, match="no less than before"):
        blinded_vector(TERMS, [1, 2, 3, 4], R, previous=[1, 2, 3, 5])


SUMS = {
    "a count": ([3001, 0, 0, 0] + [0] * 16, "aggregate"),
    "a limb": ([3000, 0, 0, 0] + [0] * 15 + [3 * 65535 + 1], "limbs"),
}


@pytest.mark.parametrize(("sums", "what"), SUMS.values(), ids=SUMS)
def test_sums_that_so_many_silos_cannot_have_are_refused(sums, what):
    with pytest.raises(AggregationAborted) as caught:
        split_sum(TERMS, 3, np.array(sums, np.uint64))
    assert caught.value.field == f"unmask/{what}"
    split_sum(TERMS, 4, np.array(sums, np.uint64))


@pytest.mark.parametrize("sums", [[0] * 19, [0] * 21, [0.0] * 20, [-1] + [0] * 19])
def test_an_aggregate_of_another_shape_or_type_is_refused(sums):
    with pytest.raises(ParameterInvalid):
        split_sum(TERMS, 3, sums)


@pytest.mark.parametrize("limbs", [[0] * 15, [0] * 17, [0.5] * 16, [-1] * 16])
def test_limbs_of_another_shape_or_type_are_refused(limbs):
    with pytest.raises(ParameterInvalid):
        joined_limbs(limbs)


# --- what is accepted -----------------------------------------------------------------------


@given(st.integers(1, ORDER - 1))
def test_limbs_give_the_blinding_back(scalar):
    limbs = limbs_of(Blinding(scalar))
    assert limbs.shape == (16,)
    assert int(limbs.max()) <= 65535
    assert joined_limbs(limbs) == scalar
    assert sum(int(limb) * 65536**j for j, limb in enumerate(limbs)) == scalar


@given(st.lists(st.integers(1, ORDER - 1), min_size=1, max_size=40))
def test_sums_of_limbs_give_the_sum_of_blindings(scalars):
    total = sum(limbs_of(Blinding(scalar)) for scalar in scalars)
    assert joined_limbs(total) == sum(scalars) % ORDER


def test_the_largest_limbs_of_the_most_silos_do_not_wrap():
    silos = Modulus(32).most_count(1) // 65535
    assert silos == 65537
    sums = np.full(16, silos * 65535, np.uint64)
    assert sums.astype(np.uint32).tolist() == sums.tolist()
    assert joined_limbs(sums) == silos * (2**256 - 1) % ORDER


def test_a_vector_is_taken_apart_as_it_was_put_together():
    vector = blinded_vector(TERMS, [1, 2, 3, 1000], R)
    counts, limbs = split_sum(TERMS, 1, vector)
    assert counts.tolist() == [1, 2, 3, 1000]
    assert joined_limbs(limbs) == R.scalar


def test_what_stays_open_of_a_blinding_is_what_the_package_says():
    """Of two honest silos' limbs the sum is known: H(x | x + y) = 2 H(x) - H(x + y), exactly."""
    chances = np.convolve(np.ones(2**10), np.ones(2**10)) / 2**20  # 10 bits: the loss is the same
    told = float(-(chances * np.log2(chances)).sum()) - 10
    assert told == pytest.approx(0.7213, abs=1e-3)  # bits of each limb; 1/(2 ln 2) at any width
    assert round(np.log2(float(ORDER)) - 16 * told) == 240
