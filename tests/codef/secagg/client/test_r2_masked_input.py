"""A silo's round 2: sums that it has no part in."""

import pytest
from testkit.aggregation import (
    LISTS,
    P0,
    P4,
    aggregation,
    client_refuses,
    finish,
    on_letter,
    start,
    up_to,
)

from collude.codef.secagg.prg import PIECE_BYTES
from collude.common.ids import COORDINATOR


@pytest.mark.parametrize("change", LISTS.values(), ids=LISTS)
def test_lists_of_inputs_out_of_order_are_refused(change):
    client_refuses("masked_input", on_letter("silos", change), COORDINATOR, "silos")


def test_a_silo_in_the_sum_that_had_not_shared_is_refused():
    """U2 must be a subset of U1."""
    change = on_letter("silos", lambda x: (*x, P4))
    client_refuses("masked_input", change, COORDINATOR, "silos", {"share_keys": (P4,)})


@pytest.mark.parametrize(("terms", "left"), [({}, 2), ({"threshold": 4}, 3), ({"min_silos": 5}, 4)])
def test_a_sum_of_too_few_is_refused(terms, left):
    error = client_refuses(
        "masked_input", on_letter("silos", lambda x: x[:left]), COORDINATOR, "silos", **terms
    )
    assert error.got.startswith(f"{left}:")


def test_a_sum_without_my_counts_is_refused():
    client_refuses("masked_input", on_letter("silos", lambda x: x[1:]), COORDINATOR, "silos")


@pytest.mark.parametrize("bits", [8, 12, 32, 47, 64])
def test_counts_longer_than_a_piece_are_masked_to_the_end(bits):
    """Two pieces and a bit: masked words are below 2^w, and the sum is exact in every place."""
    size = 2 * PIECE_BYTES // (8 if bits > 32 else 1) + 3
    fed = aggregation(silos=3, threshold=2, bits=bits, length=size, cap=(2**bits - 1) // 3)
    message = up_to(fed, "masked_input").waiting[P0]
    words = fed.terms.modulus.parse(message.words, size)
    for at in range(0, size, size // 5):
        assert (words[at : at + 999] != fed.counts[P0][at : at + 999]).mean() > 0.9
    again = aggregation(silos=3, threshold=2, bits=bits, length=size, cap=(2**bits - 1) // 3)
    assert (finish(start(again)) == again.total()).all()
