"""Silos that break the protocol: each is stopped by name, or its damage is measured."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.periods import COORDINATOR, Answering, Shape, federation, meet

from collude.codef.ledger import ForkProof, Opening, SignedHead, check_openings
from collude.common import plugins
from collude.common.errors import (
    AggregationAborted,
    LedgerForked,
    PluginUnknown,
    ProtocolViolation,
    ScenarioInvalid,
)
from collude.common.ids import Role, Round
from collude.common.protocol import codef_messages as m
from collude.common.protocol.codec import decode_message
from collude.runtime.deviators import deviating

LIAR = "participant-1"
OTHERS = ("participant-0", "participant-2", "participant-3", "participant-4")
SHAPE = Shape(silos=5, persons=7)


def with_liar(kind, shape=SHAPE, **more):
    return meet(federation(shape), deviators={LIAR: kind}, **more)


def sums_are_those_of(fed):
    for book in fed.coordinator.books:
        for epoch, total in enumerate(book.sums):
            counted = book.facts[epoch + 1].counted
            assert np.array_equal(total, fed.true_sum(book.terms.period, epoch, counted))


# --- stopped ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "error", "field"),
    [
        ("share-shifter", AggregationAborted, "unmask/share"),
        ("false-dealer", AggregationAborted, "unmask/shares"),
        ("head-equivocator", LedgerForked, "hash"),
    ],
)
def test_it_is_named_by_everybody_and_no_sum_comes_out(kind, error, field):
    fed = with_liar(kind)
    assert fed.coordinator.books[0].sums == []
    assert fed.coordinator.round is Round.ABORTED
    for name in OTHERS:
        found = fed.errors[name]
        assert (type(found), found.party, found.field) == (error, LIAR, field)


def test_without_a_share_to_spare_the_one_whose_seed_does_not_open_is_named():
    """Of exactly t shares one is wrong: nobody can say which."""
    shape = Shape(silos=3, threshold=3)
    fed = with_liar("share-shifter", shape)
    assert fed.coordinator.books[0].sums == []
    error = fed.coordinator.error
    assert (type(error), error.field) == (AggregationAborted, "unmask/shares")


def test_an_equivocators_head_is_a_proof_against_whoever_showed_it():
    fed = with_liar("head-equivocator", record=True)
    book = fed.coordinator.books[0]
    parcel = fed.received("participant-0", m.LedgerHeads)[0]
    heads = [
        SignedHead(book.ledger.name, h.head.length, h.head.hash, h.name, h.head.signature)
        for h in decode_message(parcel.body).heads
    ]
    false = next(head for head in heads if head.signer == LIAR)
    true = next(head for head in heads if head.signer == COORDINATOR)
    proof = ForkProof(true, false)
    proof.check(book.terms.roster, book.session)
    assert proof.culprit is None  # one of two signers: it takes a second head to convict


def test_the_first_commitment_counts_and_the_second_is_refused():
    fed = with_liar("double-committer", record=True)
    book = fed.coordinator.books[0]
    assert len(book.sums) == SHAPE.epochs
    sums_are_those_of(fed)
    refused = fed.coordinator.refused
    assert [(type(r), r.party) for r in refused] == [(ProtocolViolation, LIAR)] * SHAPE.epochs
    entries = [decode_message(p.body) for p in fed.received(COORDINATOR, m.CommitEntry)
               if p.sender == LIAR]  # fmt: skip
    assert len(entries) == 2 * SHAPE.epochs
    for phase, first, second in zip(book.ledger.phases, entries[::2], entries[1::2], strict=True):
        chained = {entry.silo: entry.commitment for entry in phase.entries}
        assert chained[LIAR] == first.commitment != second.commitment


# --- not stopped: the damage -----------------------------------------------------------------


def spent(shape, kind=None, liars=1):
    """The most that was charged about any person, of the budget, when all answer all they may."""
    names = [f"participant-{i}" for i in range(liars)]
    holdings = {f"participant-{i}": Answering() for i in range(shape.silos)}
    fed = meet(federation(shape, holdings), deviators=dict.fromkeys(names, kind) if kind else {})
    assert not any(fed.errors.values())
    true = sum(held.counts[0] for held in holdings.values())
    return int(true.max()), fed


LONG = Shape(silos=5, persons=12, epochs=12, attributes=40, policy="success",
             numbers={"max_success": 0.5})  # fmt: skip


def budget(fed):
    return fed.terms[0].policy.slots


def test_without_a_liar_the_budget_is_used_up_and_kept():
    used, fed = spent(LONG)
    assert used == budget(fed)


@pytest.mark.parametrize("liars", [1, 2])
def test_an_under_reporter_has_what_it_hides_granted_again(liars):
    """The docstring's bound: of f K liars that hide half, at most 1/(1 - f/2) times the budget."""
    used, fed = spent(LONG, "under-reporter", liars)
    most = budget(fed) / (1 - liars / LONG.silos / 2)
    assert budget(fed) < used <= most + liars


def test_an_over_reporter_takes_away_its_cap_and_nothing_else():
    used, fed = spent(LONG, "over-reporter")
    cap = fed.terms[0].policy.cap
    assert used <= budget(fed)
    honest = sum(fed.holdings[f"participant-{i}"].counts[0] for i in range(1, 5))
    assert int(honest.min()) <= budget(fed)
    small = Shape(silos=5, persons=40, epochs=4, attributes=2, policy="success",
                  numbers={"max_success": 0.5})  # fmt: skip
    used, fed = spent(small, "over-reporter")
    cap = fed.terms[0].policy.cap
    # Its cap is charged from the first count on; the others use the rest, as far as they can.
    assert cap == 2
    assert used == min(budget(fed), 2 * small.silos)


def openings(fed, epoch):
    """What an auditor is told in an epoch, and the commitments in the ledger."""
    phase = fed.coordinator.books[0].ledger.phases[epoch]
    for entry in phase.entries:
        nonce = fed.silos[entry.silo].core.entropy.secret("codef/commit-nonce", epoch)
        counts = fed.notes[entry.silo].committed[0, epoch]
        yield entry.commitment, Opening(entry.session, entry.silo, nonce, counts)


def test_a_late_counter_hides_all_it_counted_after_it_committed():
    """It masked nothing, and its lease comes again and again; the opened commitments show it."""
    shape = replace(LONG, epochs=6)
    used, fed = spent(shape, "late-counter")
    assert fed.holdings["participant-0"].counts[0].max() > 0
    assert not fed.notes["participant-0"].frozen[0, 1].any()
    for epoch, total in enumerate(fed.coordinator.books[0].sums):
        opened = list(openings(fed, epoch))
        check_openings(opened)  # every commitment opens
        added = sum(opening.counts.astype(int) for _, opening in opened)
        assert (added >= total).all()
        assert not np.array_equal(added, total)  # so an auditor sees that somebody lied
    assert budget(fed) < used <= budget(fed) / (1 - 1 / shape.silos) + shape.silos


# --- the registry ----------------------------------------------------------------------------


def test_a_deviation_is_for_one_role():
    fed = federation()
    for name, kind in plugins.load(plugins.DEVIATORS).items():
        wrong = fed.coordinator if kind.role is Role.PARTICIPANT else fed.silos[LIAR]
        with pytest.raises(ScenarioInvalid) as caught:
            deviating(wrong, name, np.random.default_rng(0))
        assert wrong.name in caught.value.field


def test_an_unknown_deviation_is_refused():
    with pytest.raises(PluginUnknown):
        deviating(federation().coordinator, "honest", np.random.default_rng(0))


@pytest.mark.parametrize("name", plugins.registered(plugins.DEVIATORS))
def test_every_deviation_says_what_stops_it_or_what_it_costs(name):
    said = plugins.find(plugins.DEVIATORS, name).__doc__
    assert "Stopped" in said or "Damage" in said or "damage" in said
