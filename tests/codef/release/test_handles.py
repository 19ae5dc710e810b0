"""Handles are what an independent reading of the formula gives, and differ wherever they must."""

import hashlib
import hmac

import pytest

from collude.codef.release import HandleTable, handles_of
from collude.common.errors import ParameterInvalid

KEY = bytes(range(32))


def test_handles_are_a_cut_hmac_over_length_prefixed_items():
    def lp(item: bytes) -> bytes:
        return len(item).to_bytes(4, "big") + item

    for person, handle in enumerate(handles_of(KEY, "attacker", 12)):
        text = lp(b"codef/v1/handle") + lp(b"attacker") + lp(str(person).encode())
        assert handle == hmac.new(KEY, text, hashlib.sha256).digest()[:16]


def test_another_querier_or_key_knows_everybody_by_another_handle():
    sets = [set(handles_of(key, querier, 50)) for key, querier in
            [(KEY, "attacker"), (KEY, "other"), (KEY[::-1], "attacker")]]  # fmt: skip
    assert len(set().union(*sets)) == 150


def test_what_goes_out_is_in_an_order_that_tells_nothing():
    table = HandleTable(KEY, "attacker", 100)
    out = [table.handles[at : at + 16] for at in range(0, len(table.handles), 16)]
    assert out == sorted(handles_of(KEY, "attacker", 100))
    assert table.persons([*out, bytes(16)])[-1] is None
    assert sorted(person for person in table.persons(out)) == list(range(100))


def test_a_short_key_is_refused_without_showing_it():
    with pytest.raises(ParameterInvalid) as refused:
        handles_of(KEY[:31], "attacker", 3)
    assert KEY[:8].hex() not in str(refused.value)


def test_a_table_shows_no_handles():
    assert repr(HandleTable(KEY, "attacker", 3)) == "HandleTable()"
