"""Signatures: whatever is changed is refused, and the key is shown to nobody."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.common.errors import IdentityRefused
from collude.common.protocol.signing import SigningKey, verify

SEED = bytes(range(32))
KEY = SigningKey.from_bytes(SEED)
OTHER = SigningKey.from_bytes(bytes(32))
ITEMS = (b"session", "participant-0", 7)
SIGNATURE = KEY.sign("tag", *ITEMS)


def refused(public, signature, tag, *items):
    with pytest.raises(IdentityRefused) as caught:
        verify(public, signature, tag, *items, party="participant-0")
    assert caught.value.party == "participant-0"
    assert caught.value.field == tag


@pytest.mark.parametrize(
    "items",
    [
        (), ITEMS[:2], (*ITEMS, ""), (b"sessio", "nparticipant-0", 7),
        (b"Session", "participant-0", 7), (b"session", "participant-1", 7),
        (b"session", "participant-0", 8), ITEMS[::-1],
    ],
)  # fmt: skip
def test_other_items_are_refused(items):
    refused(KEY.public, SIGNATURE, "tag", *items)


def test_another_tag_and_another_key_are_refused():
    refused(KEY.public, SIGNATURE, "other tag", *ITEMS)
    refused(OTHER.public, SIGNATURE, "tag", *ITEMS)
    refused(KEY.public, OTHER.sign("tag", *ITEMS), "tag", *ITEMS)


def test_every_flipped_bit_of_a_signature_is_refused():
    for position in range(len(SIGNATURE)):
        changed = bytearray(SIGNATURE)
        changed[position] ^= 0x10
        refused(KEY.public, bytes(changed), "tag", *ITEMS)


@pytest.mark.parametrize("signature", [b"", bytes(63), bytes(64), bytes(65), SIGNATURE + b"\0"])
def test_what_is_no_signature_is_refused(signature):
    refused(KEY.public, signature, "tag", *ITEMS)


def test_the_order_of_the_group_cannot_be_added_to_a_signature():
    # RFC 8032, 5.1.7: S must be below L. Else one signature would have many forms.
    order = 2**252 + 27742317777372353535851937790883648493
    scalar = int.from_bytes(SIGNATURE[32:], "little") + order
    refused(KEY.public, SIGNATURE[:32] + scalar.to_bytes(32, "little"), "tag", *ITEMS)


@given(st.lists(st.one_of(st.binary(max_size=40), st.integers(), st.text("ab"))))
def test_what_was_signed_verifies(items):
    verify(KEY.public, KEY.sign("tag", *items), "tag", *items, party="participant-0")


def test_the_first_vector_of_rfc_8032_gives_the_same_public_key():
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert SigningKey.from_bytes(seed).public.hex() == public


@pytest.mark.parametrize("show", [repr, str, "{}".format])
def test_the_key_is_not_shown(show):
    assert show(KEY) == "SigningKey()"


@pytest.mark.parametrize("keep", [pickle.dumps, copy.copy, copy.deepcopy])
def test_the_key_is_not_pickled_or_copied(keep):
    with pytest.raises(TypeError, match="not pickled"):
        keep(KEY)
