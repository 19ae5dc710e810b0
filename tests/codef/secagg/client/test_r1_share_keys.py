"""A silo's round 1: lists and envelopes that it refuses."""

from dataclasses import replace

import pytest
from testkit.aggregation import (
    LISTS,
    P0,
    P1,
    P2,
    P3,
    P4,
    aggregation,
    at,
    client_refuses,
    flipped,
    on_letter,
    up_to,
)

from collude.codef.secagg import messages as m
from collude.codef.secagg.envelope import seal_shares
from collude.common.ids import COORDINATOR
from collude.common.protocol.sealed import SessionKey


@pytest.mark.parametrize("change", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("field", ["silos", "envelopes"])
def test_lists_of_shares_out_of_order_are_refused(field, change):
    client_refuses("share_keys", on_letter(field, change), COORDINATOR, field)


def test_a_silo_that_shares_without_having_shown_keys_is_refused():
    change = on_letter("silos", lambda x: (*x, P4))
    client_refuses("share_keys", change, COORDINATOR, "silos", {"advertise_keys": (P4,)})


def test_too_few_silos_that_shared_are_refused():
    def change(_, letter):
        return replace(letter, silos=letter.silos[:2], envelopes=letter.envelopes[:1])

    client_refuses("share_keys", change, COORDINATOR, "silos")


def test_shares_without_mine_are_refused():
    client_refuses("share_keys", on_letter("silos", lambda x: x[1:]), COORDINATOR, "silos")


@pytest.mark.parametrize("change", [lambda x: x[:-1], lambda x: x[1:], lambda _: ()])
def test_a_missing_envelope_is_refused(change):
    client_refuses("share_keys", on_letter("envelopes", change), COORDINATOR, "envelopes")


@pytest.mark.parametrize(
    "change",
    [flipped, lambda c: c[:-1] + bytes([c[-1] ^ 128]), lambda c: c[:-1], lambda _: b""],
)
def test_an_envelope_that_was_altered_names_its_sender(change):
    def altered(envelopes):
        return at(envelopes, 1, replace(envelopes[1], ciphertext=change(envelopes[1].ciphertext)))

    client_refuses("share_keys", on_letter("envelopes", altered), P2, "envelope")


def test_an_envelope_for_another_silo_does_not_open():
    def change(fed, letter):
        talk = up_to(aggregation(), "share_keys")
        for_p3 = next(e for e in talk.waiting[P1].envelopes if e.recipient == P3)
        assert for_p3.ciphertext  # the same keys: the sessions are equal
        return replace(letter, envelopes=at(letter.envelopes, 0, replace(for_p3, recipient=P0)))

    client_refuses("share_keys", change, P1, "envelope")


@pytest.mark.parametrize("part", ["recipient", "sender"])
def test_an_envelope_with_another_address_is_refused(part):
    def altered(envelopes):
        return at(envelopes, 0, replace(envelopes[0], **{part: P3}))

    party = COORDINATOR if part == "sender" else P1
    client_refuses("share_keys", on_letter("envelopes", altered), party)


def test_my_own_envelope_sent_back_under_the_receivers_name_does_not_open():
    def change(fed, letter):
        mine = next(e for e in up_to(aggregation(), "share_keys").waiting[P0].envelopes)
        assert mine.recipient == P1
        back = m.ShareEnvelope(P1, P0, mine.ciphertext)
        return replace(letter, envelopes=at(letter.envelopes, 0, back))

    client_refuses("share_keys", change, P1, "envelope")


@pytest.mark.parametrize("payload", [b"\xff" * 64, bytes(32) + b"\xff" * 32, bytes(32), b""])
def test_sealed_shares_that_are_none_name_their_sender(payload):
    """P2 seals for P0, rightly, what is no field element, or only one share."""

    def change(fed, letter):
        twins = aggregation().clients
        mine = SessionKey(twins[P2]._state._seeds.envelope_key)
        keys = mine, twins[P0].start().envelope_key
        sealed = seal_shares(fed.terms.session, (P2, P0), keys, payload)
        return replace(letter, envelopes=at(letter.envelopes, 1, sealed))

    client_refuses("share_keys", change, P2, "envelope")


def test_two_envelopes_swapped_do_not_open():
    def altered(envelopes):
        first, second, *rest = envelopes
        return (
            replace(first, ciphertext=second.ciphertext),
            replace(second, ciphertext=first.ciphertext),
            *rest,
        )

    client_refuses("share_keys", on_letter("envelopes", altered), P1, "envelope")
