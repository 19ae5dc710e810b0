"""A silo's round 3: requests that nobody, or not everybody, signed."""

from dataclasses import replace

import pytest
from testkit.aggregation import (
    LISTS,
    P0,
    P1,
    P2,
    P3,
    P4,
    WITHOUT_P4,
    aggregation,
    at,
    client_refuses,
    letters_of,
    on_letter,
)

from collude.codef.secagg import messages as m
from collude.codef.secagg.keys import (
    CONSISTENCY_TAG,
)
from collude.common.ids import COORDINATOR


def request(fed, letter, **parts):
    return replace(letter, **parts)


BOTH = {
    "an alive one as dead": {"alive": (P0, P1, P2, P3), "dead": (P3, P4)},
    "the dead one as alive": {"alive": (P0, P1, P2, P3, P4), "dead": (P4,)},
}


@pytest.mark.parametrize("parts", BOTH.values(), ids=BOTH)
def test_a_request_for_both_secrets_of_a_silo_is_refused(parts):
    error = client_refuses(
        "consistency", lambda f, x: request(f, x, **parts), COORDINATOR, "alive", WITHOUT_P4
    )
    assert "both" in error.reason


OTHERS = {
    "one fewer alive": ({"alive": (P0, P1, P2)}, "alive"),
    "one moved to the dead": ({"alive": (P0, P1, P2), "dead": (P3, P4)}, "alive"),
    "the dead one moved to the living": ({"alive": (P0, P1, P2, P3, P4), "dead": ()}, "alive"),
    "the dead one forgotten": ({"dead": ()}, "dead"),
    "a dead one twice": ({"dead": (P4, P4)}, "dead"),
    "another order": ({"alive": (P1, P0, P2, P3)}, "alive"),
    "a stranger": ({"dead": (P4, "participant-5")}, "dead"),
}


@pytest.mark.parametrize(("parts", "what"), OTHERS.values(), ids=OTHERS)
def test_a_request_for_others_than_were_signed_is_refused(parts, what):
    client_refuses(
        "consistency", lambda f, x: request(f, x, **parts), COORDINATOR, what, WITHOUT_P4
    )


@pytest.mark.parametrize("change", LISTS.values(), ids=LISTS)
def test_signed_views_out_of_order_are_refused(change):
    client_refuses("consistency", on_letter("views", change), COORDINATOR, "views", WITHOUT_P4)


def test_too_few_signed_views_are_refused():
    client_refuses(
        "consistency", on_letter("views", lambda x: x[:2]), COORDINATOR, "silos", WITHOUT_P4
    )


def test_a_view_of_a_silo_that_is_not_in_the_sum_is_refused():
    def change(fed, letter):
        items = fed.terms.session, P4, letter.views[0].consistency.view
        signature = fed.keys[P4].sign(CONSISTENCY_TAG, *items)
        view = m.NamedView(P4, m.Consistency(items[2], signature))
        return replace(letter, views=(*letter.views, view))

    client_refuses("consistency", change, COORDINATOR, "views", WITHOUT_P4)


def test_a_view_with_another_silos_signature_is_refused():
    def change(_, letter):
        forged = replace(letter.views[2], consistency=letter.views[1].consistency)
        return replace(letter, views=at(letter.views, 2, forged))

    client_refuses("consistency", change, P2, "signature", WITHOUT_P4)


def test_a_silo_that_was_shown_other_lists_is_named():
    """The coordinator told P2 that P4 is alive: P2's view is signed, and another."""

    def change(fed, letter):
        shown = aggregation()
        talk = letters_of(shown, "masked_input")
        told = shown.clients[P2].receive(talk.letters[P2])
        return replace(letter, views=at(letter.views, 2, m.NamedView(P2, told)))

    client_refuses("consistency", change, P2, "view", WITHOUT_P4)
