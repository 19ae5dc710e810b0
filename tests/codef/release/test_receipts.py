"""Receipts and signatures: every part of an answer is in them."""

import hashlib
from dataclasses import replace
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.release.receipts import receipt_of, release_depth
from collude.codef.release.signing import check_answer, signed_answer
from collude.common.encoding import encode
from collude.common.errors import IdentityRefused, ParameterInvalid
from collude.common.protocol.codec import digest_of
from collude.common.protocol.release_messages import Query
from collude.common.protocol.signing import SigningKey

ROUTE = ("participant-0", "attacker")
HANDLE = bytes(range(16))
KEY = SigningKey.from_bytes(bytes([5]) * 32)


def test_every_part_of_an_answer_is_in_its_receipt():
    made = {
        receipt_of(ROUTE, HANDLE, 2, (1, 0), 3),
        receipt_of(("participant-1", "attacker"), HANDLE, 2, (1, 0), 3),
        receipt_of(("participant-0", "another"), HANDLE, 2, (1, 0), 3),
        receipt_of(ROUTE, HANDLE[::-1], 2, (1, 0), 3),
        receipt_of(ROUTE, HANDLE, 1, (1, 0), 3),
        receipt_of(ROUTE, HANDLE, 2, (0, 0), 3),
        receipt_of(ROUTE, HANDLE, 2, (1, 1), 3),
        receipt_of(ROUTE, HANDLE, 2, (1, 0), 2),
    }
    assert len(made) == 8
    assert {len(receipt) for receipt in made} == {32}


def test_a_receipt_is_the_hash_that_it_says():
    parts = [b"codef/v1/receipt", b"participant-0", b"attacker", HANDLE, b"2", b"-7", b"1", b"3"]
    plain = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    assert receipt_of(ROUTE, HANDLE, 2, (-7, 1), 3) == hashlib.sha256(plain).digest()


@given(st.integers(1, 2000), st.integers(1, 64))
def test_a_tree_has_room_for_every_answer(persons, attributes):
    depth = release_depth(persons, attributes)
    assert depth == ceil(log2(max(2, persons * attributes)))
    assert 1 << depth >= persons * attributes


@pytest.mark.parametrize("sizes", [(0, 1), (1, 0), (-3, 2)])
def test_no_depth_for_nobody(sizes):
    with pytest.raises(ParameterInvalid):
        release_depth(*sizes)


def asked(**changes):
    query = Query(1, HANDLE * 2, np.array([0, 1]), last=False)
    return replace(query, **changes)


def answer():
    return signed_answer(ROUTE, asked(), np.array([1, 0]), np.array([0, -1]), KEY)


def test_an_answer_is_its_silo_s_to_this_query():
    check_answer(ROUTE, digest_of(asked()), answer(), KEY.public)


@pytest.mark.parametrize(
    "changes",
    [{"epoch": 2}, {"handles": HANDLE + HANDLE[::-1]}, {"attributes": np.array([1, 0])},
     {"last": True}],
)  # fmt: skip
def test_it_answers_no_other_query(changes):
    with pytest.raises(IdentityRefused) as caught:
        check_answer(ROUTE, digest_of(asked(**changes)), answer(), KEY.public)
    assert caught.value.party == "participant-0"


@pytest.mark.parametrize(
    "changes",
    [{"epoch": 2}, {"values": np.array([0, 0])}, {"levels": np.array([0, 0])},
     {"signature": bytes(64)}, {"values": np.array([1]), "levels": np.array([0, 0, -1])}],
)  # fmt: skip
def test_nothing_of_an_answer_can_be_changed(changes):
    with pytest.raises(IdentityRefused):
        check_answer(ROUTE, digest_of(asked()), replace(answer(), **changes), KEY.public)


@pytest.mark.parametrize("route", [("participant-1", "attacker"), ("participant-0", "another")])
def test_it_is_of_one_silo_to_one_querier(route):
    with pytest.raises(IdentityRefused):
        check_answer(route, digest_of(asked()), answer(), KEY.public)


def test_another_key_did_not_sign_it():
    other = SigningKey.from_bytes(bytes([6]) * 32).public
    with pytest.raises(IdentityRefused):
        check_answer(ROUTE, digest_of(asked()), answer(), other)


def test_a_signature_is_over_the_items_that_it_says():
    values = np.array([1, 0]).astype("<i8").tobytes()
    levels = np.array([0, -1]).astype("<i8").tobytes()
    items = ("participant-0", "attacker", digest_of(asked()), 1, values, levels)
    assert KEY.sign("codef/v1/answer", *items) == answer().signature
    assert encode("codef/v1/answer", *items).startswith(b"\x00\x00\x00\x0fcodef/v1/answer")
