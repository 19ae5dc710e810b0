"""Heads: two of one length that differ prove a fork, to anybody who holds the roster."""

from dataclasses import replace

import pytest
from testkit.independent import joined
from testkit.ledgers import KEYS, ROSTER, SILOS, TERMS, entries, filled, heads

from collude.codef.ledger import ForkProof, Ledger, check_head, find_fork, sign_head
from collude.codef.ledger.heads import HEAD_TAG
from collude.common.errors import LedgerForked, LedgerRejected
from collude.common.ids import COORDINATOR
from collude.common.protocol.signing import SigningKey
from collude.common.roster import Roster

S0, S1, _ = SILOS


def forked():
    """The ledger that others were shown: the second epoch has other counts."""
    ledger = filled(1)
    ledger.close(1, TERMS, entries(ledger, 1, counts=(9, 9, 9)))
    return ledger


def signed(head, name, **parts):
    new = replace(head, signer=name, **parts)
    return replace(new, signature=KEYS[name].sign(HEAD_TAG, *new.signed_items()))


def test_a_head_of_another_ledger_at_this_length_is_a_fork():
    with pytest.raises(LedgerForked) as caught:
        check_head(sign_head(forked(), S1, KEYS[S1]), filled())
    assert caught.value.party == S1
    assert caught.value.expected != caught.value.got


BAD = {
    "altered length": (lambda h: replace(h, length=3), "signature"),
    "altered hash": (lambda h: replace(h, hash=bytes(32)), "signature"),
    "another signer": (lambda h: replace(h, signer=S0), "signature"),
    "a stranger": (lambda h: replace(h, signer="participant-8"), "signer"),
    "another ledger": (lambda h: signed(h, S1, ledger=bytes(32)), "ledger"),
    "longer than mine": (lambda h: signed(h, S1, length=7), "length"),
}


@pytest.mark.parametrize(("change", "field"), BAD.values(), ids=BAD)
def test_a_head_that_proves_nothing_is_refused(change, field):
    head = sign_head(filled(), S1, KEYS[S1])
    with pytest.raises(LedgerRejected) as caught:
        check_head(change(head), filled())
    assert caught.value.field == field
    assert not isinstance(caught.value, LedgerForked)


def test_a_negative_length_is_refused():
    head = signed(sign_head(filled(), S1, KEYS[S1]), S1, length=-1)
    with pytest.raises(LedgerRejected):
        check_head(head, filled())


def test_a_head_that_was_mine_is_fine():
    for epochs in range(3):
        for head in heads(filled(epochs)):
            check_head(head, filled(2))
            KEYS[head.signer]  # the roster's
            KEYS[head.signer].sign("x")
            assert joined(HEAD_TAG, *head.signed_items()).startswith(b"\0\0\0\x0dcodef/v1/head")


def test_a_coordinator_that_signs_two_ledgers_is_convicted():
    one, two = (sign_head(x, COORDINATOR, KEYS[COORDINATOR]) for x in (filled(), forked()))
    proof = find_fork([*heads(filled()), one, two], ROSTER)
    assert proof is not None
    assert proof.culprit == COORDINATOR
    proof.check(ROSTER)


def test_two_silos_that_were_shown_two_ledgers_have_a_proof_without_a_culprit():
    heads_ = [sign_head(filled(), S0, KEYS[S0]), sign_head(forked(), S1, KEYS[S1])]
    proof = find_fork(heads_, ROSTER)
    assert proof is not None
    assert proof.culprit is None
    proof.check(ROSTER)


def test_equal_heads_and_heads_of_other_lengths_are_no_proof():
    assert find_fork([*heads(filled()), *heads(filled(1)), *heads(forked(), ())], ROSTER) is None
    first, second = sign_head(filled(1), S0, KEYS[S0]), sign_head(filled(), S0, KEYS[S0])
    for other in (first, second):
        with pytest.raises(LedgerRejected, match="do not prove"):
            ForkProof(first, other).check(ROSTER)


def test_a_proof_with_a_forged_head_is_none():
    one, two = (sign_head(x, S0, KEYS[S0]) for x in (filled(), forked()))
    forged = replace(two, signature=one.signature)
    with pytest.raises(LedgerRejected, match="verify"):
        ForkProof(one, forged).check(ROSTER)
    with pytest.raises(LedgerRejected, match="verify"):
        find_fork([one, forged], ROSTER)


def test_a_proof_means_nothing_under_another_roster():
    one, two = (sign_head(x, S0, KEYS[S0]) for x in (filled(), forked()))
    others = {
        name: SigningKey.from_bytes(bytes([i + 50] * 32)).public for i, name in enumerate(KEYS)
    }
    with pytest.raises(LedgerRejected):
        ForkProof(one, two).check(Roster.of(others))
    assert Ledger(ROSTER).head != Ledger(Roster.of(others)).head


def test_heads_of_two_periods_prove_no_fork_and_belong_to_their_own_ledger():
    first, second = Ledger(ROSTER, b"1" * 32), Ledger(ROSTER, b"2" * 32)
    heads_ = [
        sign_head(ledger, "participant-0", KEYS["participant-0"]) for ledger in (first, second)
    ]
    assert heads_[0].length == heads_[1].length
    assert heads_[0].hash != heads_[1].hash
    with pytest.raises(LedgerRejected, match="another ledger"):
        find_fork(heads_, ROSTER, b"1" * 32)
    with pytest.raises(LedgerRejected, match="another ledger"):
        check_head(heads_[1], first)
