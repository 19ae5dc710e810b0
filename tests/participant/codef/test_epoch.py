"""Commitments, heads, sums and leases, silo's side: what it refuses of what it is shown."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.hostile import flipped
from testkit.periods import COORDINATOR, Shape, Told, federation, meet
from testkit.periods_faults import P0, P1, P2, SMALL, between, silo_refuses

from collude.codef.ledger import sign_head
from collude.common.errors import (
    AggregationAborted,
    LedgerForked,
    LedgerRejected,
    ParameterInvalid,
    PeriodAborted,
)
from collude.common.ids import Round
from collude.common.protocol import codef_messages as m
from collude.common.protocol import secagg_messages as s
from collude.common.protocol.codec import encode_message


def entries(change):
    return lambda message: replace(message, entries=change(message.entries))


def entry_of(name, **parts):
    def change(named):
        return tuple(
            replace(e, entry=replace(e.entry, **parts)) if e.name == name else e for e in named
        )

    return entries(change)


@pytest.mark.parametrize(
    ("change", "party", "field"),
    [
        (lambda p: replace(p, epoch=p.epoch + 1), COORDINATOR, "epoch"),
        (lambda p: replace(p, previous=bytes(32)), COORDINATOR, "previous"),
        (entries(lambda _: ()), COORDINATOR, "entries"),
        (entries(lambda e: e[::-1]), COORDINATOR, "entries"),
        (entries(lambda e: (e[0], *e)), P0, "entries"),
        (entry_of(P1, commitment=bytes(32)), COORDINATOR, "entries"),
        (entry_of(P1, signature=bytes(64)), COORDINATOR, "entries"),
        (entry_of(P0, commitment=bytes(32)), P0, "signature"),
        (entry_of(P0, releases=bytes(32)), P0, "signature"),
        (entry_of(P0, pedersen=bytes(32)), P0, "signature"),
        (entry_of(P0, pedersen=b"1"), P0, "pedersen"),
        (
            entries(lambda e: (*e, replace(e[0], name="participant-9"))),
            "participant-9", "silo",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("epoch", [0, 1])
def test_a_phase_that_does_not_belong_is_refused(change, party, field, epoch):
    when = lambda phase: phase.epoch == epoch  # noqa: E731 -- one line of a table
    silo_refuses(m.CommittedPhase, change, LedgerRejected, party, field, when=when)


def heads(change):
    return lambda message: replace(message, heads=change(message.heads))


def head_of(name, **parts):
    def change(named):
        return tuple(
            replace(h, head=replace(h.head, **{k: v(getattr(h.head, k)) for k, v in parts.items()}))
            if h.name == name
            else h
            for h in named
        )

    return heads(change)


def only(*names):
    return heads(lambda h: tuple(each for each in h if each.name in names))


@pytest.mark.parametrize(
    ("change", "party", "field"),
    [
        (heads(lambda _: ()), COORDINATOR, "heads"),
        (heads(lambda h: h[1:]), COORDINATOR, "heads"),  # without its own
        (only(COORDINATOR, P0, P1), COORDINATOR, "heads"),
        (heads(lambda h: h[::-1]), COORDINATOR, "heads"),
        (heads(lambda h: (h[0], h[0], *h[2:])), COORDINATOR, "heads"),
        (head_of(P0, signature=flipped), P0, "signature"),
        (head_of(P0, hash=flipped), P0, "signature"),
        (head_of(P0, length=lambda n: n - 1), P0, "signature"),
        (head_of(COORDINATOR, signature=flipped), COORDINATOR, "signature"),
        (
            heads(lambda h: (*h[:-1], replace(h[-1], name="participant-9"))),
            "participant-9", "signer",
        ),
    ],
)  # fmt: skip
def test_heads_that_are_not_in_order_are_refused(change, party, field):
    silo_refuses(m.LedgerHeads, change, LedgerRejected, party, field)


def test_heads_of_others_on_the_roster_make_no_quorum():
    """A querier that colludes with the coordinator signs whatever ledger it is shown."""
    fed = federation(SMALL)

    def sends(old, message):
        if not isinstance(message, m.LedgerHeads) or old.receiver != P1:
            return [old]
        head = sign_head(fed.coordinator.books[-1].ledger, "attacker", fed.keys["attacker"])
        friend = m.NamedHead("attacker", m.LedgerHead(head.length, head.hash, head.signature))
        few = [named for named in message.heads if named.name in {COORDINATOR, P1, P2}]
        return [replace(old, body=encode_message(m.LedgerHeads((friend, *few))))]

    meet(fed, hands={COORDINATOR: between(sends)})
    assert fed.terms[0].least == 3
    error = fed.silos[P1].error
    assert (type(error), error.party, error.field) == (LedgerRejected, COORDINATOR, "heads")


def test_a_head_of_fewer_entries_is_refused_though_it_was_right_once():
    """P0 signs the head of the epoch before: it was shown nothing since, or says so."""
    kept = []

    def sends(old, message):
        if not isinstance(message, m.LedgerHead):
            return [old]
        kept.append(message)
        return [replace(old, body=encode_message(kept[0]))]

    fed = meet(federation(SMALL), hands={P0: between(sends)})
    error = fed.silos[P1].error
    assert (type(error), error.party, error.field) == (LedgerRejected, P0, "length")
    assert len(fed.coordinator.books[0].sums) == 1


def test_silos_that_were_shown_two_ledgers_notice_before_any_key_is_made():
    def sends(old, message):
        if not isinstance(message, m.CommittedPhase) or old.receiver != P0:
            return [old]
        shorter = replace(message, entries=message.entries[:-1])
        return [replace(old, body=encode_message(shorter))]

    fed = meet(federation(SMALL), hands={COORDINATOR: between(sends)}, record=True)
    found = {name: fed.silos[name].error for name in (P0, P1, P2)}
    assert {type(error) for error in found.values()} <= {LedgerForked, LedgerRejected}
    assert found[P1].party == P0
    assert not fed.received(COORDINATOR, s.AdvertiseKeys)


# --- sums ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "change", "stage"),
    [
        (s.AdvertisedKeys, lambda x: replace(x, silos=x.silos[:2]), "advertise_keys"),
        (s.AdvertisedKeys, lambda x: replace(x, silos=x.silos[::-1]), "advertise_keys"),
        (s.SharedKeys, lambda x: replace(x, silos=x.silos[:2]), "share_keys"),
        (s.SharedKeys, lambda x: replace(x, envelopes=x.envelopes[1:]), "share_keys"),
        (s.InputsReceived, lambda x: replace(x, silos=x.silos[:2]), "masked_input"),
        (
            s.InputsReceived,
            lambda x: replace(x, silos=(*x.silos, "participant-9")),
            "masked_input",
        ),
        (s.UnmaskRequest, lambda x: replace(x, dead=x.alive[:1]), "consistency"),
        (s.UnmaskRequest, lambda x: replace(x, alive=x.alive[1:], dead=x.alive[:1]), "consistency"),
        (s.UnmaskRequest, lambda x: replace(x, views=x.views[:2]), "consistency"),
    ],
)
def test_a_sum_that_is_not_in_order_is_not_opened(kind, change, stage):
    """The client's checks stand in tests/codef/secagg/client; here, that the session has them."""
    fed = federation(SMALL)

    def sends(old, message):
        if not isinstance(message, kind) or old.receiver != P1:
            return [old]
        return [replace(old, body=encode_message(change(message)))]

    meet(fed, hands={COORDINATOR: between(sends)})
    error = fed.silos[P1].error
    assert type(error) is AggregationAborted
    assert (error.party, error.stage) == (COORDINATOR, stage)
    assert not any(P1 in openers for openers in fed.opened.values())
    assert fed.silos[P1]._state is None


def test_a_second_unmask_request_gets_no_share():
    """Over the wire: the first was answered; the second is not in the table and changes nothing."""

    def sends(old, message):
        if not isinstance(message, s.UnmaskRequest):
            return [old]
        again = replace(message, alive=message.alive[:-1], dead=message.alive[-1:])
        return [old, old, replace(old, body=encode_message(again))]

    fed = meet(federation(SMALL), hands={COORDINATOR: between(sends)}, record=True)
    assert not any(fed.errors.values())
    unmasked = fed.received(COORDINATOR, s.Unmask)
    assert len(unmasked) == SMALL.silos * SMALL.epochs
    for session in fed.silos.values():
        assert len(session.refused) == 2 * SMALL.epochs
    assert all(which == "self_masks" for _, _, which in fed.opened)


def test_counts_beyond_the_cap_or_that_decrease_are_not_committed_to():
    shape = Shape(silos=4, persons=3, epochs=2, attributes=3, policy="success",
                  numbers={"max_success": 0.9})  # fmt: skip
    cap = shape.terms(federation(shape).terms[0].roster)[0].policy.cap
    for wrong, epochs in (([cap + 1] * 3, 0), ([0, 0, 0, 0], 0), ([1, 0, 1], 1)):
        told = {0: [wrong, wrong] if not epochs else [[1, 1, 1], wrong]}
        fed = meet(federation(shape, {P1: Told(told)}), record=True)
        error = fed.silos[P1].error
        assert (type(error), error.field) == (ParameterInvalid, "counts")
        entered = [p.sender for p in fed.received(COORDINATOR, m.CommitEntry)]
        assert entered.count(P1) == epochs
        assert fed.coordinator.round is Round.DONE  # the others go on
        assert fed.coordinator.books[0].facts[-1].missing == (P1,)


# --- leases ----------------------------------------------------------------------------------


def lease(**parts):
    return lambda message: replace(message, **{k: v(message) for k, v in parts.items()})


def last_of(value):
    def change(message):
        levels = message.levels.copy()
        levels[-1] = value
        return levels

    return change


WRONG = [
    (lease(last=lambda _: True), "codef_adapt/last"),
    (lease(levels=lambda a: a.levels[:-1]), "codef_adapt/levels"),
    (lease(slots=lambda a: a.slots[:-1]), "codef_adapt/levels"),
    (lease(levels=last_of(99)), "codef_adapt/levels"),
    (lease(levels=last_of(-2)), "codef_adapt/levels"),
    (lease(levels=last_of(-1), slots=lambda a: np.ones_like(a.slots)), "codef_adapt/slots"),
    (lease(slots=lambda a: a.slots + 9), "codef_adapt/slots"),
    (lease(slots=lambda a: a.slots - 9), "codef_adapt/slots"),
    (lease(counted=lambda a: ()), "codef_adapt/counted"),
    (lease(counted=lambda a: a.counted[:2]), "codef_adapt/counted"),
    (lease(counted=lambda a: a.counted[::-1]), "codef_adapt/counted"),
    (lease(counted=lambda a: (*a.counted, a.counted[-1])), "codef_adapt/counted"),
    (lease(counted=lambda a: (*a.counted, "participant-9")), "codef_adapt/counted"),
]


@pytest.mark.parametrize(("change", "field"), WRONG)
@pytest.mark.parametrize("epoch", [0, 1])
def test_a_lease_that_cannot_be_is_refused(change, field, epoch):
    when = lambda message: message.epoch == epoch  # noqa: E731 -- one line of a table
    silo_refuses(m.Adapt, change, PeriodAborted, COORDINATOR, field, when=when)


def test_the_period_does_not_go_on_beyond_its_last_epoch():
    when = lambda message: message.last  # noqa: E731 -- one line of a table
    change = lease(last=lambda _: False)
    silo_refuses(m.Adapt, change, PeriodAborted, COORDINATOR, "codef_adapt/last", when=when)


@pytest.mark.parametrize(
    "change",
    [
        lease(levels=lambda a: a.levels + 1),
        lease(slots=lambda a: a.slots - 1, levels=lambda a: np.full_like(a.levels, -1)),
    ],
)
def test_the_first_lease_follows_from_the_terms(change):
    """Less than the policy gives is refused as well: a lease is what all can compute."""
    when = lambda message: message.epoch == 0  # noqa: E731 -- one line of a table
    silo_refuses(m.Adapt, change, PeriodAborted, COORDINATOR, "codef_adapt/levels", when=when)


def test_a_lease_that_says_others_were_counted_than_were_summed_is_refused():
    change = lease(counted=lambda a: a.counted[:-1])
    when = lambda message: message.epoch == 1  # noqa: E731 -- one line of a table
    field = "codef_adapt/counted"
    silo_refuses(m.Adapt, change, PeriodAborted, COORDINATOR, field, when=when)


def test_who_is_in_no_sum_takes_no_lease():
    """P1's masked counts are dropped, as if late; then it is leased something all the same."""

    def sends(old, message):
        if isinstance(message, m.Adapt) and message.epoch == 1 and old.receiver == P1:
            ones = np.ones_like(message.slots)
            generous = replace(message, levels=0 * ones, slots=ones)
            return [replace(old, body=encode_message(generous))]
        return [old]

    def loses(old, message):
        return [] if isinstance(message, s.MaskedInput) else [old]

    shape = replace(SMALL, silos=5)
    hands = {COORDINATOR: between(sends), P1: between(loses)}
    fed = meet(federation(shape), hands=hands)
    error = fed.silos[P1].error
    assert (type(error), error.field) == (PeriodAborted, "codef_adapt/counted")
    assert fed.coordinator.books[0].facts[1].missing == (P1,)
    assert not fed.coordinator.error
