"""Streams by name: what is refused, that none shifts another, and that no key is shown."""

import copy
import pickle
from itertools import combinations

import numpy as np
import pytest

from collude.common.randomness import (
    Entropy,
    generator_from_bytes,
    hkdf,
    party_seed,
    system_generator,
)

KEY = bytes(range(32))


@pytest.fixture
def entropy():
    return Entropy(KEY, simulated=True)


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_key_of_another_length_is_refused(length):
    with pytest.raises(ValueError, match=f"32 bytes, not {length}"):
        Entropy(bytes(length), simulated=True)


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match="at least 0"):
        party_seed(-1, "analyst")


@pytest.mark.parametrize("keep", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_source_is_not_pickled_or_copied(entropy, keep):
    with pytest.raises(TypeError, match="not pickled"):
        keep(entropy)


@pytest.mark.parametrize("show", [repr, str, ascii, "{}".format, "{!r:>5}".format])
def test_a_source_does_not_show_its_key(entropy, show):
    assert show(entropy).strip() == "Entropy(simulated=True)"


def test_the_same_name_gives_the_same_stream(entropy):
    again = Entropy(KEY, simulated=True)
    assert again.secret("share", 2) == entropy.secret("share", 2)
    first, second = (e.generator("noise").standard_normal(5) for e in (again, entropy))
    assert np.array_equal(first, second)


def test_a_generator_starts_anew_each_time(entropy):
    first, second = (entropy.generator("noise").standard_normal(5) for _ in range(2))
    assert np.array_equal(first, second)


def test_purpose_counter_party_seed_and_kind_each_give_another_stream(entropy):
    streams = {
        "base": entropy.secret("share", 1),
        "purpose": entropy.secret("nonce", 1),
        "counter": entropy.secret("share", 2),
        "border": entropy.secret("share1", 0),
        "party": Entropy(party_seed(1, "participant-1"), simulated=True).secret("share", 1),
        "other party": Entropy(party_seed(1, "participant-2"), simulated=True).secret("share", 1),
        "seed": Entropy(party_seed(12, "participant-1"), simulated=True).secret("share", 1),
        "generator": entropy.generator("share", 1).bytes(32),
    }
    for (one, left), (other, right) in combinations(streams.items(), 2):
        assert left != right, (one, other)


def test_a_generator_takes_every_byte_of_its_key():
    base = generator_from_bytes(KEY).bytes(16)
    for position in range(len(KEY)):
        changed = bytearray(KEY)
        changed[position] ^= 1
        assert generator_from_bytes(bytes(changed)).bytes(16) != base


def test_the_system_never_gives_the_same_twice():
    assert Entropy.from_system().secret("x") != Entropy.from_system().secret("x")
    assert not Entropy.from_system().simulated
    assert system_generator().bytes(16) != system_generator().bytes(16)


def test_a_longer_secret_is_not_refused(entropy):
    assert len(entropy.secret("x", length=255 * 32)) == 255 * 32
    assert hkdf(KEY, b"x", 16) == hkdf(KEY, b"x", 40)[:16]
