"""Envelopes: they open for one recipient on one route, unaltered, or not at all."""

import copy
import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.common.errors import AnchorAborted
from collude.common.protocol.sealed import Route, SessionKey, open_sealed, seal

KEY, OTHER = SessionKey(bytes([1]) * 32), SessionKey(bytes([2]) * 32)
ROUTE = Route(bytes(32), bytes(32), "participant-0", "participant-1", 0)
PAYLOAD = bytes(range(64))
EPHEMERAL = bytes([3]) * 32
SEALED = seal(PAYLOAD, ROUTE, KEY.public, EPHEMERAL)

P = 2**255 - 19
LOW_ORDER = [
    0,
    1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
    P - 1,
    P,
    P + 1,
]
"""The points of order 1, 2, 4 and 8 on Curve25519 and on its twist, and two other spellings."""


def closed(sealed, route=ROUTE, key=KEY):
    with pytest.raises(AnchorAborted) as caught:
        open_sealed(sealed, route, key)
    assert caught.value.party == route.sender
    assert PAYLOAD.hex()[:16] not in str(caught.value)


def flipped(content: bytes, position: int) -> bytes:
    changed = bytearray(content)
    changed[position] ^= 1
    return bytes(changed)


def test_every_flipped_byte_closes_it():
    for position in range(len(SEALED.ciphertext)):
        closed(replace(SEALED, ciphertext=flipped(SEALED.ciphertext, position)))
    for position in range(32):
        closed(replace(SEALED, ephemeral_key=flipped(SEALED.ephemeral_key, position)))


def test_a_cut_lengthened_or_empty_ciphertext_does_not_open():
    for ciphertext in (b"", bytes(16), SEALED.ciphertext[:-1], SEALED.ciphertext + b"\0"):
        closed(replace(SEALED, ciphertext=ciphertext))


@pytest.mark.parametrize(
    "change",
    [
        {"session": bytes(31) + b"\1"}, {"roster_hash": bytes(31) + b"\1"},
        {"sender": "participant-2"}, {"recipient": "participant-2"}, {"counter": 1},
    ],
)  # fmt: skip
def test_on_any_other_route_it_does_not_open(change):
    closed(SEALED, route=replace(ROUTE, **change))


def test_for_another_recipient_it_does_not_open():
    closed(SEALED, key=OTHER)


@pytest.mark.parametrize("point", LOW_ORDER)
def test_a_low_order_point_is_refused_on_both_sides(point):
    key = point.to_bytes(32, "little")
    closed(replace(SEALED, ephemeral_key=key))
    with pytest.raises(AnchorAborted) as caught:
        seal(PAYLOAD, ROUTE, key, EPHEMERAL)
    assert (caught.value.party, caught.value.field) == ("participant-1", "session_key")


@given(st.binary(max_size=200), st.binary(min_size=32, max_size=32))
def test_what_was_sealed_opens(payload, seed):
    sealed = seal(payload, ROUTE, KEY.public, seed)
    assert open_sealed(sealed, ROUTE, KEY) == payload
    assert len(sealed.ciphertext) == len(payload) + 16


def test_an_envelope_shows_nothing_of_its_payload():
    assert PAYLOAD[:8] not in SEALED.ciphertext
    assert seal(PAYLOAD, ROUTE, KEY.public, bytes(32)).ciphertext != SEALED.ciphertext


@pytest.mark.parametrize("show", [repr, str, "{}".format])
def test_the_key_is_not_shown(show):
    assert show(KEY) == "SessionKey()"


@pytest.mark.parametrize("keep", [pickle.dumps, copy.copy, copy.deepcopy])
def test_the_key_is_not_pickled_or_copied(keep):
    with pytest.raises(TypeError, match="not pickled"):
        keep(KEY)
