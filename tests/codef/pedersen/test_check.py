"""The check over real aggregations: what it refuses, and the lies that it does not see."""

from dataclasses import replace

import numpy as np
import pytest
from testkit import independent_edwards as plain
from testkit.aggregation import aggregation, entropy, finish, terms_of, up_to
from testkit.ledgers import KEYS, ROOT, ROSTER, SILOS, TERMS

from collude.codef.ledger import Ledger, commit, sign_entry
from collude.codef.pedersen import (
    Blinding,
    add,
    blinded_terms,
    blinded_vector,
    check_aggregate,
    check_opening,
    check_sum,
    commitments_of,
    split_sum,
)
from collude.codef.pedersen import commit as pedersen
from collude.codef.pedersen.commitments import generator
from collude.codef.pedersen.group import multiply, summed
from collude.codef.pedersen.vectors import joined_limbs
from collude.codef.secagg import messages as m
from collude.common.errors import AggregationAborted, LedgerRejected, ParameterInvalid
from collude.common.ids import COORDINATOR, participant_name

P0, P1, P2, P3, P4 = (participant_name(i) for i in range(5))
PLAIN, _ = terms_of(cap=1000)
COUNTS = {
    P0: [0, 0, 1000, 4],
    P1: [1, 2, 3, 0],
    P2: [0, 0, 0, 0],
    P3: [9, 9, 9, 9],
    P4: [5, 0, 0, 7],
}
BLINDINGS = {name: Blinding.drawn(entropy(name), PLAIN.session) for name in COUNTS}
COMMITTED = {name: pedersen(counts, BLINDINGS[name]) for name, counts in COUNTS.items()}


def federation(counts=COUNTS):
    """Real clients and a real server that aggregate counts and limbs."""
    grown = blinded_terms(PLAIN)
    table = [blinded_vector(PLAIN, counts[name], BLINDINGS[name]) for name in counts]
    return aggregation(counts=table, length=grown.length, cap=grown.cap)


def altered(words, place, by):
    """Masked counts with another number at one place: what a deviating silo sends."""
    numbers = np.frombuffer(words, "<u4").copy()
    numbers[[place]] += np.uint32(by % 2**32)  # arrays wrap, numbers would warn
    return m.MaskedInput(numbers.tobytes())


def mismatch(commitments, aggregate):
    with pytest.raises(AggregationAborted) as caught:
        check_aggregate(PLAIN, commitments, aggregate)
    error = caught.value
    assert (error.party, error.stage, error.field) == (COORDINATOR, "unmask", "unmask/pedersen")


def test_the_sum_of_all_passes_and_is_returned():
    total = finish(up_to(federation(), "advertise_keys"))
    assert check_aggregate(PLAIN, COMMITTED, total).tolist() == [15, 11, 1012, 20]


def test_the_sum_of_those_that_sent_passes_with_their_commitments():
    fed = federation()
    total = finish(up_to(fed, "masked_input"), {"masked_input": (P3,), "unmask": (P1,)})
    there = {name: COMMITTED[name] for name in fed.server.silos}
    assert set(there) == {P0, P1, P2, P4}
    assert check_aggregate(PLAIN, there, total).tolist() == [6, 2, 1003, 11]


TOTAL = sum(blinded_vector(PLAIN, COUNTS[name], BLINDINGS[name]) for name in COUNTS)
WRONG = {
    "a count more": (0, 1), "a count fewer": (2, -1), "the last person's": (3, 1),
    "the first limb": (4, 1), "the last limb": (19, -1), "a carry moved": (10, 65536),
}  # fmt: skip


@pytest.mark.parametrize(("place", "by"), WRONG.values(), ids=WRONG)
def test_another_sum_than_came_out_is_refused(place, by):
    wrong = TOTAL.copy()
    wrong[[place]] += np.uint64(by % 2**64)
    mismatch(COMMITTED, wrong)
    assert check_aggregate(PLAIN, COMMITTED, TOTAL).tolist() == [15, 11, 1012, 20]


def test_two_persons_swapped_are_refused():
    wrong = TOTAL.copy()
    wrong[[0, 1]] = wrong[[1, 0]]
    mismatch(COMMITTED, wrong)


def test_another_form_of_the_same_blinding_passes():
    """Only R modulo l is bound, and only R modulo l is needed."""
    same = TOTAL.copy()
    same[11] -= np.uint64(1)
    same[10] += np.uint64(65536)
    assert joined_limbs(same[4:]) == joined_limbs(TOTAL[4:])
    assert check_aggregate(PLAIN, COMMITTED, same).tolist() == [15, 11, 1012, 20]


@pytest.mark.parametrize(("place", "by"), [(0, 1), (3, -1), (4, 1)])
def test_a_silo_that_masks_another_vector_than_it_committed_to_is_noticed(place, by):
    talk = up_to(federation(), "masked_input")
    talk.waiting[P3] = altered(talk.waiting[P3].words, place, by)
    mismatch(COMMITTED, finish(talk))


def test_a_silo_left_out_of_the_sum_is_noticed():
    fed = federation()
    total = finish(up_to(fed, "masked_input"), {"masked_input": (P3,)})
    mismatch(COMMITTED, total)


def test_a_silo_without_counts_left_out_is_noticed_too():
    """P2 counted nobody; its blinding is missing."""
    total = finish(up_to(federation(), "masked_input"), {"masked_input": (P2,)})
    assert split_sum(PLAIN, 4, total)[0].tolist() == [15, 11, 1012, 20]
    mismatch(COMMITTED, total)


def test_a_silo_counted_twice_is_noticed():
    """The coordinator puts P1's masked input in place of P4's, or counts it twice."""
    vector = blinded_vector(PLAIN, COUNTS[P1], BLINDINGS[P1])
    mismatch(COMMITTED, TOTAL + vector)
    mismatch(COMMITTED, TOTAL + vector - blinded_vector(PLAIN, COUNTS[P4], BLINDINGS[P4]))


def test_commitments_of_others_than_are_in_the_sum_are_refused():
    mismatch({name: COMMITTED[name] for name in (P0, P1, P2, P3)}, TOTAL)
    mismatch({**COMMITTED, P4: COMMITTED[P3]}, TOTAL)


@pytest.mark.parametrize(
    "change", [lambda t: t[:-1], lambda t: t.astype(float), lambda t: -t.astype(int)]
)
def test_sums_of_another_shape_or_type_are_refused(change):
    with pytest.raises(ParameterInvalid):
        check_aggregate(PLAIN, COMMITTED, change(TOTAL))


NONE = {
    "nothing": b"", "short": COMMITTED[P1][:-1], "two": COMMITTED[P1] * 2,
    "the identity": plain.encode(plain.IDENTITY), "no point": b"\xff" * 32,
    "of small order": plain.encode(plain.small_order()[1]),
}  # fmt: skip


@pytest.mark.parametrize("bad", NONE.values(), ids=NONE)
def test_a_commitment_that_is_none_names_its_silo(bad):
    with pytest.raises(LedgerRejected) as caught:
        check_sum({**COMMITTED, P1: bad}, TOTAL[:4], TOTAL[4:])
    assert (caught.value.party, caught.value.field) == (P1, "pedersen")


# --- beside the ledger ----------------------------------------------------------------------


def entry(ledger, silo, pedersen_=b""):
    session = ledger.session(0, TERMS)
    return sign_entry(
        KEYS[silo], session, silo, commit(session, silo, bytes(32), [1]), ROOT, pedersen_
    )


def test_commitments_stand_in_the_entries_of_a_phase():
    ledger = Ledger(ROSTER)
    made = {silo: pedersen([i, 1], Blinding(i + 1)) for i, silo in enumerate(SILOS)}
    phase = ledger.close(0, TERMS, [entry(ledger, silo, made[silo]) for silo in SILOS])
    assert commitments_of(phase.entries, SILOS) == made
    assert commitments_of(phase.entries, SILOS[1:]) == {name: made[name] for name in SILOS[1:]}


@pytest.mark.parametrize("bad", [b"", COMMITTED[P1] * 2, bytes(32), *NONE.values()])
def test_an_entry_without_a_usable_commitment_names_its_silo(bad):
    ledger = Ledger(ROSTER)
    entries = [entry(ledger, silo, COMMITTED[P0]) for silo in SILOS]
    entries[1] = replace(entries[1], pedersen=bad)
    with pytest.raises(LedgerRejected) as caught:
        commitments_of(entries, SILOS)
    assert (caught.value.party, caught.value.field) == (SILOS[1], "pedersen")


def test_a_silo_in_the_sum_without_an_entry_is_named():
    entries = [entry(Ledger(ROSTER), silo, COMMITTED[P0]) for silo in SILOS[:2]]
    with pytest.raises(LedgerRejected) as caught:
        commitments_of(entries, SILOS)
    assert caught.value.party == SILOS[2]


OPENED = {
    "a count more": ([1, 2, 4, 0], BLINDINGS[P1]),
    "another blinding": ([1, 2, 3, 0], BLINDINGS[P0]),
    "another silo's": (COUNTS[P0], BLINDINGS[P0]),
}


@pytest.mark.parametrize(("counts", "blinding"), OPENED.values(), ids=OPENED)
def test_an_opening_that_does_not_match_is_refused(counts, blinding):
    check_opening(P1, COMMITTED[P1], COUNTS[P1], BLINDINGS[P1])
    with pytest.raises(LedgerRejected) as caught:
        check_opening(P1, COMMITTED[P1], counts, blinding)
    assert (caught.value.party, caught.value.field) == (P1, "pedersen")


# --- known limits: these lies pass, and docs/threat-model.md says so --------------------------


def test_known_limit_a_lie_told_consistently_passes():
    lie = [0, 0, 0, 0]  # P3 counted 9 of each
    total = finish(up_to(federation({**COUNTS, P3: lie}), "advertise_keys"))
    told = {**COMMITTED, P3: pedersen(lie, BLINDINGS[P3])}
    assert check_aggregate(PLAIN, told, total).tolist() == [6, 2, 1003, 11]


def test_known_limit_negative_counts_pass():
    """P3 commits to -1 mod l and masks 2^w - 1: it takes away what others counted of a person."""
    talk = up_to(federation({**COUNTS, P3: [0] * 4}), "masked_input")
    talk.waiting[P3] = altered(talk.waiting[P3].words, 2, -1)
    told = {**COMMITTED, P3: summed([pedersen([0] * 4, BLINDINGS[P3]), multiply(-1, generator(2))])}
    assert told[P3] == plain.commitment([0, 0, -1, 0], BLINDINGS[P3].scalar)
    assert check_aggregate(PLAIN, told, finish(talk)).tolist() == [6, 2, 1002, 11]


def test_negative_counts_that_take_a_sum_below_zero_are_noticed():
    """The least sum is zero: one fewer wraps, and is more than these silos may count."""
    talk = up_to(federation({**COUNTS, P3: [0] * 4}), "masked_input")
    talk.waiting[P3] = altered(talk.waiting[P3].words, 1, -3)  # the others counted 2
    with pytest.raises(AggregationAborted) as caught:
        finish(talk)
    assert caught.value.field == "unmask/aggregate"


def test_known_limit_a_coordinator_with_the_last_silo_to_commit_chooses_the_sum():
    """P4 sees the other commitments, and cancels them; together they announce what they like."""
    others = add(COMMITTED[name] for name in (P0, P1, P2, P3))
    wish, r = [7, 7, 7, 7], Blinding(3)
    told = {**COMMITTED, P4: summed([pedersen(wish, r), multiply(-1, others)])}
    announced = blinded_vector(PLAIN, wish, r)
    assert check_aggregate(PLAIN, told, announced).tolist() == wish
    with pytest.raises(LedgerRejected):  # the auditor who asks P4 to open finds it
        check_opening(P4, told[P4], COUNTS[P4], BLINDINGS[P4])


def test_an_auditor_finds_negative_counts_in_the_silo_that_he_asks():
    told = summed([pedersen([0] * 4, BLINDINGS[P3]), multiply(-1, generator(2))])
    with pytest.raises(LedgerRejected):
        check_opening(P3, told, [0, 0, 0, 0], BLINDINGS[P3])
    with pytest.raises(ParameterInvalid):
        check_opening(P3, told, [0, 0, -1, 0], BLINDINGS[P3])
