"""What one silo sends goes out to all others: only what it must be is passed on."""

from dataclasses import replace

import pytest
from testkit.periods import Shape, federation, meet
from testkit.periods_faults import P0, P1, P2, P3, between

from collude.codef.ledger import sign_entry
from collude.codef.period.join import CONFIRM_TAG, confirm_items
from collude.common.errors import LedgerRejected, PeriodAborted
from collude.common.protocol import codef_messages as m
from collude.common.protocol.codec import encode_message

FIVE = Shape(silos=5, persons=4, epochs=2)


def test_an_entry_that_is_longer_than_it_must_be_goes_out_to_nobody():
    """However well it is signed: each silo, each ledger and each receipt would hold it."""
    fed = federation(FIVE)

    def sends(old, message):
        if not isinstance(message, m.CommitEntry):
            return [old]
        parts = P1, message.commitment, message.releases, bytes(32 * 1000)
        long = sign_entry(fed.keys[P1], old.session, *parts)
        entry = m.CommitEntry(long.commitment, long.releases, long.pedersen, long.signature)
        return [replace(old, body=encode_message(entry))]

    meet(fed, hands={P1: between(sends)})
    refused = [(type(e), e.party, e.field, e.got) for e in fed.coordinator.refused]
    assert refused == [(LedgerRejected, P1, "pedersen", "32000 bytes")] * FIVE.epochs
    assert not any(error for name, error in fed.errors.items() if name != P1)
    assert [facts.missing for facts in fed.coordinator.books[0].facts] == [(), (P1,), (P1,)]


@pytest.mark.parametrize("names", [(P0, P2, P3), (P0, P1, P2, P3, P3), ("x" * 10**6,), ()])
def test_a_key_of_other_shares_costs_its_silo_its_place_and_not_all_the_period(names):
    """Passed on, it would make all others leave; and it may be a long text."""
    fed = federation(FIVE)

    def sends(old, message):
        if not isinstance(message, m.KeyConfirm):
            return [old]
        items = confirm_items(old.session, P1, names, message.key_hash)
        signature = fed.keys[P1].sign(CONFIRM_TAG, *items)
        confirm = m.KeyConfirm(names, message.key_hash, signature)
        return [replace(old, body=encode_message(confirm))]

    meet(fed, hands={P1: between(sends)})
    refused = fed.coordinator.refused[0]
    assert (type(refused), refused.party) == (PeriodAborted, P1)
    assert refused.field == "codef_confirm/contributors"
    assert not any(error for name, error in fed.errors.items() if name != P1)
    assert P1 not in fed.coordinator.books[0].silos
