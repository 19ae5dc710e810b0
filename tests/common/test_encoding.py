"""What is put under a hash can be read in one way only."""

import hashlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.common.encoding import digest, encode, lp

ITEMS = st.lists(
    st.one_of(st.binary(max_size=9), st.text(st.characters(codec="utf-8"), max_size=5))
)


def as_bytes(item) -> bytes:
    return item if isinstance(item, bytes) else str(item).encode()


@given(ITEMS, ITEMS)
def test_two_lists_have_one_encoding_only_if_their_items_are_the_same_bytes(left, right):
    same = list(map(as_bytes, left)) == list(map(as_bytes, right))
    assert (encode("tag", *left) == encode("tag", *right)) == same


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (("ab", "c"), ("a", "bc")), (("abc",), ("ab", "c")), (("a", ""), ("a",)),
        ((b"\0\0\0\1a",), ("a",)), ((1, 2), (12,)), ((), ("",)),
    ],
)  # fmt: skip
def test_moving_a_border_changes_the_encoding(left, right):
    assert encode("tag", *left) != encode("tag", *right)
    assert digest("tag", *left) != digest("tag", *right)


@given(st.lists(st.binary(max_size=20)))
def test_every_item_can_be_read_back(items):
    body, read = encode("tag", *items), []
    while body:
        (length,) = struct.unpack(">I", body[:4])
        read.append(body[4 : 4 + length])
        body = body[4 + length :]
    assert read == [b"tag", *items]


def test_the_form_of_each_kind_of_item():
    assert lp(b"") == b"\0\0\0\0"
    assert encode("t", b"\xff", "ü", 10) == b"\0\0\0\1t\0\0\0\1\xff\0\0\0\2\xc3\xbc\0\0\0\x0210"
    assert digest("t", 1) == hashlib.sha256(b"\0\0\0\1t\0\0\0\x011").digest()
