"""The chain: what does not belong is refused and changes nothing; hashes made again by hand."""

import hashlib
from dataclasses import replace
from itertools import permutations

import pytest
from testkit.independent import joined, sha
from testkit.ledgers import KEYS, ROOT, ROSTER, SILOS, TERMS, entries, entry, filled

from collude.codef.ledger import (
    Ledger,
    Phase,
    aggregation_session,
    commit_session,
    genesis,
    sign_entry,
)
from collude.common.errors import LedgerRejected
from collude.common.ids import COORDINATOR

S0, S1, S2 = SILOS


def flipped(content):
    return bytes([content[0] ^ 1]) + content[1:]


def rejected(change, party, field, epochs=1):
    """A phase that follows, changed; the replica refuses it and takes the true one."""
    ledger = filled(epochs)
    before = ledger.head, ledger.length, ledger.phases
    good = Phase(epochs, TERMS, ledger.head, tuple(entries(ledger, epochs)))
    with pytest.raises(LedgerRejected) as caught:
        ledger.append(change(ledger, good))
    assert (caught.value.party, caught.value.field) == (party, field)
    assert (ledger.head, ledger.length, ledger.phases) == before
    ledger.append(good)
    assert ledger.length == 3 * (epochs + 1)


def with_entry(index, make):
    def change(ledger, phase):
        new = make(ledger, phase.entries[index])
        return replace(phase, entries=(*phase.entries[:index], new, *phase.entries[index + 1 :]))

    return change


def test_a_phase_that_does_not_follow_the_head_is_refused():
    rejected(lambda _, p: replace(p, previous=flipped(p.previous)), COORDINATOR, "previous")
    rejected(lambda x, p: replace(p, previous=x.hash_at(0)), COORDINATOR, "previous")


@pytest.mark.parametrize("epoch", [0, 1, -1])
def test_an_epoch_that_was_committed_to_is_refused(epoch):
    rejected(lambda _, p: replace(p, epoch=epoch), COORDINATOR, "epoch", epochs=2)


def test_a_phase_without_entries_is_refused():
    rejected(lambda _, p: replace(p, entries=()), COORDINATOR, "entries")


@pytest.mark.parametrize("order", list(permutations(range(3)))[1:])
def test_entries_in_another_order_are_refused(order):
    change = lambda _, p: replace(p, entries=tuple(p.entries[i] for i in order))  # noqa: E731
    rejected(change, COORDINATOR, "entries")


def test_a_second_commit_of_one_silo_in_an_epoch_is_refused():
    def twice(ledger, phase):
        second = entry(ledger, S1, 1, counts=(9, 9, 9))
        return replace(phase, entries=(*phase.entries[:2], second, phase.entries[2]))

    rejected(twice, S1, "entries")


def test_a_silo_that_is_not_on_the_roster_is_refused():
    rejected(with_entry(2, lambda _, e: replace(e, silo="participant-9")), "participant-9", "silo")


def test_the_coordinator_has_no_entry():
    rejected(with_entry(0, lambda _, e: replace(e, silo=COORDINATOR)), COORDINATOR, "silo")


REPLAYS = {
    "of the phase before": lambda ledger: ledger.phases[0].entries[0],
    "for another epoch": lambda ledger: entry(ledger, S0, 2),
    "for other terms": lambda ledger: entry(ledger, S0, 1, terms=bytes(32)),
    "for an empty ledger": lambda _: entry(Ledger(ROSTER), S0, 1),
}


@pytest.mark.parametrize("make", REPLAYS.values(), ids=REPLAYS)
def test_an_entry_of_another_phase_is_refused(make):
    rejected(with_entry(0, lambda ledger, _: make(ledger)), S0, "session")


def test_an_entry_under_terms_that_the_phase_does_not_name_is_refused():
    rejected(lambda _, p: replace(p, terms=bytes(32)), S0, "session")


@pytest.mark.parametrize("field", ["commitment", "releases", "signature"])
def test_an_entry_that_was_altered_is_refused(field):
    change = with_entry(1, lambda _, e: replace(e, **{field: flipped(getattr(e, field))}))
    rejected(change, S1, "signature")


def test_commitments_added_to_an_entry_are_refused():
    rejected(with_entry(1, lambda _, e: replace(e, pedersen=bytes(32))), S1, "signature")


def test_an_entry_under_another_silos_name_is_refused():
    def swap(_, phase):
        first, second, third = phase.entries
        return replace(phase, entries=(first, replace(second, commitment=first.commitment), third))

    rejected(swap, S1, "signature")


@pytest.mark.parametrize(
    ("parts", "field"),
    [({"commitment": bytes(31)}, "commitment"), ({"releases": b""}, "releases"),
     ({"pedersen": bytes(33)}, "pedersen")],
)  # fmt: skip
def test_hashes_of_another_length_are_refused_though_signed(parts, field):
    def make(_, e):
        new = replace(e, **parts)
        return sign_entry(KEYS[S1], new.session, S1, new.commitment, new.releases, new.pedersen)

    rejected(with_entry(1, make), S1, field)


def test_there_is_no_hash_at_a_length_that_never_was():
    for length in (-1, 7):
        with pytest.raises(IndexError):
            filled().hash_at(length)


# --- what is accepted -----------------------------------------------------------------------


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_arrival_is_in_no_hash(order):
    ledger = Ledger(ROSTER)
    made = entries(ledger)
    ledger.close(0, TERMS, [made[i] for i in order])
    assert ledger.head == filled(1).head


def test_every_replica_has_the_same_head():
    ledger, replica = filled(3), Ledger(ROSTER)
    for phase in ledger.phases:
        replica.append(phase)
    assert [replica.hash_at(i) for i in range(10)] == [ledger.hash_at(i) for i in range(10)]


def test_a_silo_may_be_missing_and_an_epoch_left_out():
    ledger = Ledger(ROSTER)
    ledger.close(0, TERMS, entries(ledger, silos=(S0, S2)))
    ledger.close(5, TERMS, entries(ledger, 5))
    assert ledger.length == 5


def test_hashes_made_again_by_hand():
    ledger = filled(1)
    head = sha("codef/v1/genesis", ROSTER.hash)
    assert head == genesis(ROSTER.hash) == ledger.hash_at(0)
    session = sha("codef/v1/sid-commit", ROSTER.hash, TERMS, 0, head)
    assert session == commit_session(ROSTER.hash, TERMS, 0, head)
    for number, e in enumerate(ledger.phases[0].entries):
        counts = b"".join(n.to_bytes(8, "little") for n in (1, 2, 3))
        nonce = bytes([0, number + 1] * 16)
        commitment = sha("codef/v1/commit", session, e.silo, nonce, counts)
        assert e.commitment == commitment
        content = joined(str(number), session, e.silo, commitment, ROOT, b"", e.signature)
        head = hashlib.sha256(joined("codef/v1/entry", head, content)).digest()
        assert ledger.hash_at(number + 1) == head


def test_a_session_of_an_aggregation_is_bound_to_all_commitments_and_is_new_at_each_attempt():
    ledger = filled(1)
    session = ledger.phases[0].entries[0].session
    made = aggregation_session(session, ledger.head)
    assert made == sha("codef/v1/sid-agg", session, ledger.head, 0)
    others = {
        aggregation_session(session, ledger.head, 1),
        aggregation_session(session, ledger.hash_at(2)),
        aggregation_session(flipped(session), ledger.head),
    }
    assert len(others | {made}) == 4
