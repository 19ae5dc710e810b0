"""A coordinator that breaks the protocol: silos stop it by name, or its damage is measured."""

import numpy as np
import pytest
from testkit.periods import COORDINATOR, Answering, Shape, federation, meet

from collude.codef.ledger import SignedHead, check_head
from collude.common.errors import (
    AggregationAborted,
    DeadlineExceeded,
    LedgerForked,
    LedgerRejected,
    PeriodAborted,
    RemoteError,
)
from collude.common.ids import Round
from collude.common.protocol import codef_messages as m
from collude.common.protocol import secagg_messages as s
from collude.common.protocol.codec import decode_message

SHAPE = Shape(silos=5, persons=7)
SEEDS = range(6)


def lied_to(kind, shape=SHAPE, **more):
    return meet(federation(shape), deviators={COORDINATOR: kind}, **more)


def nobody_opens_both(fed):
    """Not even all silos together: no secret pair can be put together from what was sent."""
    threshold = fed.terms[0].threshold
    for session, name, _ in list(fed.opened):
        kinds = [
            fed.opened.get((session, name, which), set()) for which in ("self_masks", "mask_keys")
        ]
        assert not kinds[0] & kinds[1]
        assert min(map(len, kinds)) < threshold
    assert all(summed >= fed.terms[0].least for summed in fed.summed)
    return True


def test_asking_for_both_secrets_of_a_silo_gets_neither():
    fed = lied_to("both-shares")
    for session in fed.silos.values():
        error = session.error
        assert (type(error), error.party) == (AggregationAborted, COORDINATOR)
        assert error.field == "consistency/alive"
    assert not fed.opened
    assert fed.coordinator.books[0].sums == []


@pytest.mark.parametrize("silos", [4, 5, 8])
@pytest.mark.parametrize("seed", SEEDS)
def test_lists_that_differ_open_at_most_one_sum_of_enough_silos(silos, seed):
    fed = lied_to("alive-liar", Shape(silos=silos, persons=4, epochs=1), seed=seed)
    assert nobody_opens_both(fed)
    for session in fed.silos.values():
        if session.error is not None:
            assert (type(session.error), session.error.party) == (AggregationAborted, COORDINATOR)
            assert session.error.stage == "consistency"


def test_among_these_lies_some_let_one_half_through_and_others_nobody():
    """Else the test above would show less than it says."""
    ends = set()
    for seed in SEEDS:
        fed = lied_to("alive-liar", Shape(silos=8, persons=4, epochs=1), seed=seed)
        ends.add((bool(fed.opened), any(fed.errors[name] for name in fed.silos)))
    assert ends >= {(True, True), (False, True)}


@pytest.mark.parametrize("silos", [4, 5, 8])
@pytest.mark.parametrize("seed", SEEDS)
def test_of_two_ledgers_at_most_one_is_gone_on_with(silos, seed):
    fed = lied_to("ledger-forker", Shape(silos=silos, persons=4, epochs=1), seed=seed)
    named = LedgerRejected | PeriodAborted | AggregationAborted | DeadlineExceeded
    heads = {}
    for session in fed.silos.values():
        if session.error is None:
            heads[session.book.ledger.head if session.book else b""] = session.name
        elif session.error.party == COORDINATOR:
            assert isinstance(session.error, named)
    assert len(heads) <= 1
    assert nobody_opens_both(fed)


def test_a_silo_that_is_shown_what_the_other_half_was_sees_the_fork():
    fed = lied_to("ledger-forker", Shape(silos=5, persons=4, epochs=1), seed=3, record=True)
    book = fed.coordinator.books[0]
    heads = {
        SignedHead(book.ledger.name, n.head.length, n.head.hash, n.name, n.head.signature)
        for name in fed.silos
        for parcel in fed.received(name, m.LedgerHeads)
        for n in decode_message(parcel.body).heads
        if n.name == COORDINATOR
    }
    true, false = sorted(heads, key=lambda head: -head.length)
    check_head(true, book.ledger)
    with pytest.raises(LedgerForked) as caught:  # it signed both, and only one fits
        check_head(false, book.ledger)
    assert caught.value.party == COORDINATOR


def test_a_silo_that_is_said_to_be_dead_keeps_its_mask_and_gets_no_lease():
    """Its masked counts are kept by the coordinator; nobody opens the mask that hides them."""
    fed = lied_to("silo-dropper", record=True)
    (victim,) = set(fed.silos) - set(fed.coordinator.books[0].facts[1].counted)
    assert nobody_opens_both(fed)
    masked = [p for p in fed.received(COORDINATOR, s.MaskedInput) if p.sender == victim]
    assert masked  # it did come
    assert not any(name == victim and which == "self_masks" for _, name, which in fed.opened)
    adapt = [decode_message(p.body) for p in fed.received(victim, m.Adapt)]
    assert all((each.levels == -1).all() for each in adapt[1:])


def test_dropping_a_silo_hides_no_more_than_what_it_answered_before():
    shape = Shape(silos=5, persons=12, epochs=12, attributes=40, policy="success",
                  numbers={"max_success": 0.5})  # fmt: skip
    holdings = {f"participant-{i}": Answering() for i in range(5)}
    fed = meet(federation(shape, holdings), deviators={COORDINATOR: "silo-dropper"})
    budget = fed.terms[0].policy.slots
    true = sum(held.counts[0] for held in holdings.values())
    assert budget < true.max() <= budget + shape.slots  # one lease, in the first epoch


def test_a_silo_left_out_of_the_sum_unseen_makes_it_no_sum():
    fed = lied_to("sum-spoiler")
    error = fed.coordinator.error
    assert (type(error), error.field) == (AggregationAborted, "unmask/aggregate")
    assert fed.coordinator.books[0].sums == []


def test_a_false_first_lease_is_refused_before_anything_is_answered():
    shape = Shape(silos=5, persons=12, slots=2, attributes=4, policy="success",
                  numbers={"max_success": 0.3})  # fmt: skip
    holdings = {f"participant-{i}": Answering() for i in range(5)}
    fed = meet(federation(shape, holdings), deviators={COORDINATOR: "false-lease"})
    assert fed.terms[0].policy.slots < shape.silos * shape.slots
    for name in fed.silos:
        error = fed.errors[name]
        assert (type(error), error.party) == (PeriodAborted, COORDINATOR)
        assert error.field == "codef_adapt/levels"
        assert not holdings[name].counts[0].any()


def test_later_false_leases_break_the_budget_and_each_silo_alone_bounds_them():
    shape = Shape(silos=5, persons=12, epochs=8, attributes=6, policy="success",
                  numbers={"max_success": 0.5})  # fmt: skip
    holdings = {f"participant-{i}": Answering() for i in range(5)}
    fed = meet(federation(shape, holdings), deviators={COORDINATOR: "late-false-lease"})
    policy, true = fed.terms[0].policy, sum(held.counts[0] for held in holdings.values())
    assert true.max() > policy.slots
    assert (true <= shape.silos * min(policy.cap, shape.epochs * shape.slots)).all()
    assert true.max() == shape.silos * policy.cap  # and that much it does cost


def test_whatever_subset_confirmed_the_first_leases_are_the_same():
    shape = Shape(silos=8, persons=30, epochs=1, attributes=4, policy="success",
                  numbers={"max_success": 0.3})  # fmt: skip
    honest, forked = (
        meet(federation(shape), deviators=who, record=True)
        for who in ({}, {COORDINATOR: "confirm-forker"})
    )
    budget = honest.terms[0].policy.slots
    for name in honest.silos:
        shown = [len(decode_message(p.body).confirms) for p in forked.received(name, m.KeyConfirms)]
        assert shown == [honest.terms[0].least]
        assert np.array_equal(honest.silos[name].leases[0], forked.silos[name].leases[0])
    true = sum(held.counts[0] for held in forked.holdings.values())
    assert true.max() <= budget < shape.silos
    assert not any(forked.errors.values())


@pytest.mark.parametrize("seed", range(20))
def test_what_was_said_before_is_refused_or_changes_nothing(seed):
    fed = lied_to("replayer", Shape(silos=4, persons=5, epochs=2, periods=2), seed=seed)
    assert nobody_opens_both(fed)
    for book in fed.coordinator.books:
        for epoch, total in enumerate(book.sums):
            counted = book.facts[epoch + 1].counted
            assert np.array_equal(total, fed.true_sum(book.terms.period, epoch, counted))
    for session in fed.silos.values():
        assert session.finished
        assert session.refused  # as it was, it is of another session
        if session.error is not None:
            assert isinstance(session.error, RemoteError)
            assert session.error.party
            assert session.round is Round.ABORTED


def test_content_of_every_round_is_replayed_and_most_of_it_ends_the_period():
    ends = {}
    for seed in range(60):
        fed = lied_to("replayer", Shape(silos=3, persons=2, epochs=2, periods=2), seed=seed)
        kind = {type(error).__name__ for error in fed.errors.values()}
        ends.setdefault(len(kind - {"NoneType"}) > 0, []).append(seed)
    assert len(ends[True]) > 2 * len(ends.get(False, []))
