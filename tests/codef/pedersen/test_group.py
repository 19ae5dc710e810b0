"""The group: what is no element is refused; the rest agrees with whole numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit import independent_edwards as plain

from collude.codef.pedersen.commitments import blinding_generator, generator
from collude.codef.pedersen.group import IDENTITY, ORDER, checked_point, multiply, summed

SMALL = plain.small_order()
GOOD = plain.generator("G", 0)
SIGN = 1 << 255


def test_there_are_eight_points_of_small_order():
    assert len(set(SMALL)) == 8
    assert all(plain.multiply(8, point) == plain.IDENTITY for point in SMALL)
    assert plain.multiply(4, SMALL[1]) != plain.IDENTITY


def refused(encoded):
    with pytest.raises(ValueError, match="point"):
        checked_point(encoded)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_bytes_of_another_length_are_refused(length):
    refused(bytes(length))


@pytest.mark.parametrize("point", SMALL, ids=range(8))
def test_points_of_small_order_are_refused(point):
    refused(plain.encode(point))


@pytest.mark.parametrize("point", SMALL[1:], ids=range(1, 8))
def test_an_element_with_a_part_of_small_order_is_refused(point):
    """Eight encodings would open to the same counts for whoever multiplies by the cofactor."""
    assert checked_point(plain.encode(GOOD)) == plain.encode(GOOD)
    moved = plain.add(GOOD, point)
    assert plain.multiply(8, moved) == plain.multiply(8, GOOD)
    refused(plain.encode(moved))


@pytest.mark.parametrize("sign", [0, SIGN])
@pytest.mark.parametrize("small", range(19))
def test_an_encoding_above_the_prime_is_refused(small, sign):
    refused((plain.P + small | sign).to_bytes(32, "little"))


def test_a_zero_with_a_sign_is_refused():
    for y in (1, plain.P - 1):
        refused((y | SIGN).to_bytes(32, "little"))


def test_what_is_not_on_the_curve_is_refused():
    off = [y for y in range(2, 40) if plain.with_sign(y, 0) is None]
    assert len(off) > 9
    for y in off:
        refused(y.to_bytes(32, "little"))


# --- against whole numbers -------------------------------------------------------------------


def test_the_order_is_the_number_of_elements():
    assert ORDER == plain.ORDER
    assert all(ORDER % q for q in (2, 3, 5, 7, 11, 13))
    assert pow(2, ORDER - 1, ORDER) == 1
    assert plain.multiply(ORDER, GOOD) == plain.IDENTITY


@pytest.mark.parametrize("person", [0, 1, 7, 499, 2**17])
def test_generators_are_those_of_the_published_map(person):
    assert generator(person) == plain.encode(plain.generator("G", person))
    assert plain.multiply(ORDER, plain.generator("G", person)) == plain.IDENTITY


def test_the_generator_of_the_blinding_too():
    assert blinding_generator() == plain.encode(plain.generator("H", 0))


def test_generators_never_change():
    """Committed: another H or G_0 would open no commitment of an older ledger."""
    assert blinding_generator().hex() == KNOWN["H"]
    assert generator(0).hex() == KNOWN["G_0"]


KNOWN = {
    "H": "2bfd620fbd2a44bf8b48dd3080cb11d5b41ff54327d694ae61c0b5fe6397ec64",
    "G_0": "25c2541d68724bb4da05555fe227989aeae94c35ce3301bd9afa68d90c3e9ec6",
}


def test_generators_are_distinct_elements():
    made = {checked_point(generator(person)) for person in range(200)}
    assert len(made | {checked_point(blinding_generator())}) == 201


@given(st.integers(-(2**260), 2**260), st.integers(-(2**260), 2**260))
def test_sums_of_products_are_products_of_sums(a, b):
    point = generator(3)
    assert summed([multiply(a, point), multiply(b, point)]) == multiply(a + b, point)


@pytest.mark.parametrize("scalar", [0, 1, 2, 2**16, ORDER - 1, ORDER, ORDER + 1, 2**255 - 1, -1])
def test_products_agree_with_whole_numbers(scalar):
    expected = plain.multiply(scalar % ORDER, plain.generator("G", 3))
    assert multiply(scalar, generator(3)) == plain.encode(expected)


def test_nothing_is_the_identity_and_changes_nothing():
    point = generator(0)
    assert summed([]) == multiply(0, point) == multiply(7, IDENTITY) == IDENTITY
    assert summed([point, IDENTITY]) == point
    assert summed([point, multiply(-1, point)]) == IDENTITY == plain.encode(plain.IDENTITY)
