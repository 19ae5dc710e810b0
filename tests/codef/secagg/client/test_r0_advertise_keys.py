"""A silo's round 0: keys that it refuses."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from testkit.aggregation import (
    LISTS,
    P1,
    P2,
    P3,
    aggregation,
    at,
    changed,
    client_refuses,
    entropy,
    flipped,
    on_letter,
    terms_of,
)

from collude.codef.secagg import Client
from collude.codef.secagg import messages as m
from collude.codef.secagg.keys import (
    _LOW_ORDER,
    ADVERTISE_TAG,
    advertised_items,
)
from collude.codef.secagg.shamir import PRIME
from collude.common.ids import COORDINATOR


@pytest.mark.parametrize("change", LISTS.values(), ids=LISTS)
def test_a_list_of_keys_out_of_order_is_refused(change):
    client_refuses("advertise_keys", on_letter("silos", change), COORDINATOR, "silos")


def test_keys_of_a_silo_that_is_not_on_the_roster_are_refused():
    def change(_, letter):
        stranger = replace(letter.silos[4], name="participant-5")
        return replace(letter, silos=(*letter.silos, stranger))

    client_refuses("advertise_keys", change, COORDINATOR, "silos")


def test_too_few_keys_are_refused():
    client_refuses("advertise_keys", on_letter("silos", lambda x: x[:2]), COORDINATOR, "silos")


def test_a_list_without_me_is_refused():
    client_refuses("advertise_keys", on_letter("silos", lambda x: x[1:]), COORDINATOR, "keys")


KEY_FIELDS = ["envelope_key", "mask_key", "self_mask_hash", "signature"]


@pytest.mark.parametrize("field", KEY_FIELDS)
def test_my_own_keys_altered_are_refused(field):
    def change(_, letter):
        return changed(letter, 0, **{field: flipped(getattr(letter.silos[0].keys, field))})

    client_refuses("advertise_keys", change, COORDINATOR, "keys")


@pytest.mark.parametrize("field", KEY_FIELDS)
def test_keys_that_their_silo_did_not_sign_are_refused(field):
    def change(_, letter):
        return changed(letter, 2, **{field: flipped(getattr(letter.silos[2].keys, field))})

    client_refuses("advertise_keys", change, P2, "signature")


def test_keys_of_one_silo_under_another_name_are_refused():
    def change(_, letter):
        swapped = replace(letter.silos[1], keys=letter.silos[2].keys)
        return replace(letter, silos=at(letter.silos, 1, swapped))

    client_refuses("advertise_keys", change, P1, "signature")


def test_keys_of_another_session_are_refused():
    def change(_, letter):
        other = aggregation(session=bytes(32))
        theirs = other.clients[P3].start()
        return replace(letter, silos=at(letter.silos, 3, m.NamedKeys(P3, theirs)))

    client_refuses("advertise_keys", change, P3, "signature")


@pytest.mark.parametrize(("what", "others"), [("parameters", {"cap": 7}), ("roster", {"silos": 6})])
def test_a_silo_that_runs_with_other_terms_is_named(what, others):
    def change(_, letter):
        others_ = {"threshold": 4, **others} if what == "roster" else others
        made, keys = terms_of(**others_)
        theirs = Client(made, P3, [0] * 4, keys[P3], entropy(P3)).start()
        return replace(letter, silos=at(letter.silos, 3, m.NamedKeys(P3, theirs)))

    error = client_refuses("advertise_keys", change, P3, what)
    assert error.expected != error.got


def signed(fed, name, keys, **parts):
    """The silo itself shows other keys, rightly signed."""
    new = replace(keys, **parts)
    items = advertised_items(fed.terms.session, name, new)
    return replace(new, signature=fed.keys[name].sign(ADVERTISE_TAG, *items))


def betrays(parts_of):
    def change(fed, letter):
        keys = signed(fed, P2, letter.silos[2].keys, **parts_of(letter))
        return replace(letter, silos=at(letter.silos, 2, m.NamedKeys(P2, keys)))

    return change


@pytest.mark.parametrize("field", KEY_FIELDS[:3])
@pytest.mark.parametrize("owner", [0, 1])
def test_a_key_that_is_mine_or_anothers_is_refused(field, owner):
    change = betrays(lambda letter: {field: getattr(letter.silos[owner].keys, field)})
    client_refuses("advertise_keys", change, P2, "key")


def test_one_key_for_both_purposes_is_refused():
    change = betrays(lambda letter: {"mask_key": letter.silos[2].keys.envelope_key})
    client_refuses("advertise_keys", change, P2, "key")


BAD_KEYS = {u: u.to_bytes(32, "little") for u in sorted(_LOW_ORDER)}


@pytest.mark.parametrize("key", BAD_KEYS.values(), ids=range(len(BAD_KEYS)))
@pytest.mark.parametrize("field", ["envelope_key", "mask_key"])
def test_keys_of_low_order_are_refused(key, field):
    client_refuses("advertise_keys", betrays(lambda _: {field: key}), P2, "key")


@pytest.mark.parametrize("key", BAD_KEYS.values(), ids=range(len(BAD_KEYS)))
def test_a_secret_with_a_key_of_low_order_is_zero_whatever_the_other_key(key):
    """What the list is made of, asked of the library: it refuses to give the zero."""
    for scalar in (bytes(32), b"\xff" * 32, bytes(range(32))):
        with pytest.raises(ValueError, match="shared"):
            X25519PrivateKey.from_private_bytes(scalar).exchange(
                X25519PublicKey.from_public_bytes(key)
            )


@pytest.mark.parametrize(
    "key",
    [
        PRIME.to_bytes(32, "little"),
        (PRIME + 9).to_bytes(32, "little"),
        b"\xff" * 32,
        b"",
        bytes([9]),
    ],
)
def test_keys_in_another_form_are_refused(key):
    client_refuses("advertise_keys", betrays(lambda _: {"mask_key": key}), P2, "key")
