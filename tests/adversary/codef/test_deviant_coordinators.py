"""A coordinator that breaks the protocol: silos stop it by name, or its damage is measured."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.network import Hand
from testkit.periods import COORDINATOR, Answering, Shape, federation, meet
from testkit.periods_schedules import budget_of

from collude.codef.ledger import SignedHead, check_head
from collude.codef.policy import Lot, lease_charges
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
from collude.common.protocol.codec import decode_message, encode_message

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


@pytest.mark.parametrize("policy", ["success", "information"])
@pytest.mark.parametrize("change", [{"epochs": 3}, {"epochs": 1, "attributes": 0, "uploads": True}])
def test_a_later_lease_worth_more_than_if_nothing_were_spent_is_refused(policy, change):
    """A budget of fewer slots than there are silos: who is leased none in an epoch knows it."""
    numbers = {"success": {"max_success": 0.2}, "information": {"gamma": 0.2}}[policy]
    made = {"attributes": 6, **change}
    shape = Shape(silos=5, persons=12, slots=2, policy=policy, numbers=numbers, **made)

    def generous(old, message):
        if not isinstance(message, m.Adapt) or message.epoch != 1:
            return [old]
        slots = np.full_like(message.slots, shape.slots)
        lie = replace(message, levels=np.zeros_like(slots), slots=slots)
        return [replace(old, body=encode_message(lie))]

    uses = (lambda slots: 0 * slots) if shape.uploads else (lambda slots: slots)
    holdings = {f"participant-{i}": Answering(uses) for i in range(5)}
    fed = meet(federation(shape, holdings), hands={COORDINATOR: lambda e: Hand(e, generous)})
    for name in fed.silos:
        error = fed.errors[name]
        assert (type(error), error.party) == (PeriodAborted, COORDINATOR)
        assert (error.field, error.got) == ("codef_adapt/slots", "more")
        assert not fed.silos[name].leases
    true = sum(held.counts[0] for held in holdings.values())
    assert true.max() <= budget_of(fed.terms[0].policy)


@pytest.mark.parametrize("policy", ["success", "information"])
@pytest.mark.parametrize("kind", ["late-false-lease", "silo-dropper", "confirm-forker"])
@pytest.mark.parametrize("seed", range(3))
def test_leases_for_uploads_stay_within_the_budget_whoever_grants_them(policy, kind, seed):
    """Nothing is answered, and the last lease is all there is: no word of the coordinator helps."""
    numbers = {"success": {"max_success": 0.2}, "information": {"gamma": 0.2}}[policy]
    shape = Shape(silos=8, persons=12, epochs=2, attributes=0, policy=policy, numbers=numbers,
                  uploads=True)  # fmt: skip
    silent = {f"participant-{i}": Answering(lambda slots: 0 * slots) for i in range(8)}
    fed = meet(federation(shape, silent), deviators={COORDINATOR: kind}, seed=seed)
    policy = fed.terms[0].policy
    leases = [session.leases[0] for session in fed.silos.values() if session.leases]
    total = sum(lease_charges(policy, Lot(*lease)) for lease in leases)
    assert len(leases) >= fed.terms[0].least
    assert 0 < total.max() <= budget_of(policy)


def test_who_did_not_see_who_is_in_the_sum_signed_takes_no_lease():
    """P1 is shown another sum than the others, and leased something before anybody signs it."""
    shape = Shape(silos=5, persons=6, epochs=2, attributes=3, policy="success",
                  numbers={"max_success": 0.9})  # fmt: skip
    victim = "participant-1"

    def hurries(old, message):
        if not isinstance(message, s.InputsReceived) or old.receiver != victim:
            return [old]
        few = message.silos[:4]
        ones = np.ones(shape.persons, dtype=np.int64)
        lie = m.Adapt(1, 0 * ones, ones, few, last=False)
        adapt = replace(old, round=Round.CODEF_ADAPT.value, body=encode_message(lie))
        session = fed.silos[victim].book.session
        shown = replace(old, body=encode_message(s.InputsReceived(few)))
        return [shown, replace(adapt, session=session)]

    fed = federation(shape)
    holdings = fed.holdings[victim]
    seen = []
    holdings.uses = lambda slots: seen.append(slots.copy()) or slots
    meet(fed, hands={COORDINATOR: lambda e: Hand(e, hurries)})
    assert seen[0].any()
    assert not any(slots.any() for slots in seen[1:])


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
