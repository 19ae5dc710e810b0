"""A silo's round 2: sums that it has no part in."""

import pytest
from testkit.aggregation import (
    LISTS,
    P4,
    client_refuses,
    on_letter,
)

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
