"""Commitments: another opening is refused, and nothing is said without the nonce."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit.independent import sha
from testkit.ledgers import ROSTER, SILOS, TERMS, opening

from collude.codef.ledger import Ledger, check_opening, check_openings, commit
from collude.common.errors import LedgerRejected

LEDGER = Ledger(ROSTER)
MADE = opening(LEDGER, SILOS[0])


def of(made):
    return commit(made.session, made.silo, made.nonce, made.counts)


OTHERS = {
    "a count more": {"counts": np.array([1, 2, 4], np.uint64)},
    "one person fewer": {"counts": np.array([1, 2], np.uint64)},
    "one person more": {"counts": np.array([1, 2, 3, 0], np.uint64)},
    "another nonce": {"nonce": bytes(32)},
    "a short nonce": {"nonce": MADE.nonce[:-1]},
    "another silo": {"silo": SILOS[1]},
    "another epoch": {"session": LEDGER.session(1, TERMS)},
    "other terms": {"session": LEDGER.session(0, bytes(32))},
}


@pytest.mark.parametrize("parts", OTHERS.values(), ids=OTHERS)
def test_another_opening_is_refused(parts):
    changed = replace(MADE, **parts)
    with pytest.raises(LedgerRejected) as caught:
        check_opening(of(MADE), changed)
    assert caught.value.party == changed.silo


def test_a_nonce_that_serves_twice_is_refused():
    one, two = opening(LEDGER, SILOS[0]), opening(LEDGER, SILOS[1])
    check_openings([(of(x), x) for x in (one, two)])
    again = replace(two, nonce=one.nonce)
    with pytest.raises(LedgerRejected) as caught:
        check_openings([(of(x), x) for x in (one, again)])
    assert (caught.value.party, caught.value.field) == (SILOS[1], "nonce")


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_nonce_of_another_length_is_refused(length):
    with pytest.raises(ValueError, match="32 bytes"):
        commit(bytes(32), SILOS[0], bytes(length), [1])


def test_an_opening_is_neither_shown_nor_pickled():
    assert repr(MADE) == "Opening()"
    with pytest.raises(TypeError):
        pickle.dumps(MADE)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=9), st.binary(min_size=32, max_size=32))
def test_it_is_the_hash_of_all_counts_in_eight_bytes_each(counts, nonce):
    content = b"".join(count.to_bytes(8, "little") for count in counts)
    made = commit(bytes(32), SILOS[0], nonce, np.array(counts, np.uint64))
    assert made == sha("codef/v1/commit", bytes(32), SILOS[0], nonce, content)
    assert made != commit(bytes(32), SILOS[0], bytes(31) + b"\1", np.array(counts, np.uint64))
