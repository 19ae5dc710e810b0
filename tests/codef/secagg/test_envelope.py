"""Envelopes: one opens only in its session, on its route, with its keys, unaltered."""

from dataclasses import replace

import pytest

from collude.codef.secagg.envelope import CIPHERTEXT_BYTES, open_shares, seal_shares
from collude.codef.secagg.keys import _LOW_ORDER
from collude.common.protocol.sealed import SessionKey

SESSION, OTHER = bytes(32), bytes([1] * 32)
A, B, C = (SessionKey(bytes([i] * 32)) for i in (5, 6, 7))
SHARES = bytes(range(31)) + b"\0" + bytes(range(40, 71)) + b"\0"
SEALED = seal_shares(SESSION, ("a", "b"), (A, B.public), SHARES)


def opened(session=SESSION, route=("a", "b"), keys=(B, A.public), sealed=SEALED):
    return open_shares(session, route, keys, sealed)


def flipped(place):
    content = bytearray(SEALED.ciphertext)
    content[place] ^= 1
    return replace(SEALED, ciphertext=bytes(content))


REFUSED = {
    "another session": {"session": OTHER},
    "another sender": {"route": ("c", "b"), "sealed": replace(SEALED, sender="c")},
    "another recipient": {"route": ("a", "c"), "sealed": replace(SEALED, recipient="c")},
    "the way back": {"route": ("b", "a"), "sealed": replace(SEALED, sender="b", recipient="a")},
    "names that run together": {
        "route": ("ab", ""),
        "sealed": replace(SEALED, sender="ab", recipient=""),
    },
    "addressed otherwise": {"sealed": replace(SEALED, sender="c")},
    "expected from another": {"route": ("c", "b")},
    "another recipient's key": {"keys": (C, A.public)},
    "another sender's key": {"keys": (B, C.public)},
    "cut": {"sealed": replace(SEALED, ciphertext=SEALED.ciphertext[:-1])},
    "nothing": {"sealed": replace(SEALED, ciphertext=b"")},
    "the first bit": {"sealed": flipped(0)},
    "the last bit": {"sealed": flipped(-1)},
}  # fmt: skip


@pytest.mark.parametrize("parts", REFUSED.values(), ids=REFUSED)
def test_an_envelope_of_another_route_or_session_does_not_open(parts):
    with pytest.raises(ValueError, match="envelope"):
        opened(**parts)
    assert opened() == (SHARES[:32], SHARES[32:])


@pytest.mark.parametrize("point", sorted(_LOW_ORDER), ids=range(len(_LOW_ORDER)))
def test_a_key_of_low_order_seals_and_opens_nothing(point):
    key = point.to_bytes(32, "little")
    with pytest.raises(ValueError, match=r"."):
        seal_shares(SESSION, ("a", "b"), (A, key), SHARES)
    with pytest.raises(ValueError, match=r"."):
        opened(keys=(B, key))


def test_an_envelope_has_one_size_and_hides_what_is_in_it():
    assert len(SEALED.ciphertext) == CIPHERTEXT_BYTES
    zeros = seal_shares(SESSION, ("a", "b"), (A, B.public), bytes(64))
    assert len(zeros.ciphertext) == CIPHERTEXT_BYTES
    assert zeros.ciphertext[:64] != bytes(64)


def test_each_direction_has_a_key_of_its_own():
    """The same shares sent both ways look different: no two envelopes share a key stream."""
    back = seal_shares(SESSION, ("b", "a"), (B, A.public), SHARES)
    assert back.ciphertext != SEALED.ciphertext
    again = seal_shares(OTHER, ("a", "b"), (A, B.public), SHARES)
    assert again.ciphertext not in {SEALED.ciphertext, back.ciphertext}
