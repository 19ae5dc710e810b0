"""Masks: the cipher's known answer, counter blocks made one by one, and sums that wrap."""

import pickle

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.secagg.modulus import Modulus
from collude.codef.secagg.prg import PIECE_BYTES, Masks, add_masks, keystream
from collude.common.errors import ParameterInvalid

KEY = bytes(range(32))
PIECE = PIECE_BYTES


def by_blocks(key, length):
    """The stream from single blocks: AES of 0, 1, 2, ... as 16 bytes, big-endian."""
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    blocks = [cipher.update(i.to_bytes(16, "big")) for i in range(length // 16 + 1)]
    return b"".join(blocks)[:length]


def test_the_first_block_under_the_zero_key_is_the_published_one():
    # NIST AESAVS, AES-256, key and plaintext zero
    assert keystream(bytes(32), 16).hex() == "dc95c078a2408989ad48a21492842087"


@pytest.mark.parametrize("length", [0, 1, 16, 17, 1000, PIECE + 5])
def test_the_stream_is_that_of_single_blocks(length):
    assert keystream(KEY, length) == by_blocks(KEY, length)


@pytest.mark.parametrize("key", [b"", bytes(16), bytes(31), bytes(33)])
def test_a_key_of_another_length_is_refused(key):
    with pytest.raises(ValueError, match="key size"):
        keystream(key, 1)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("length", [1, 3, PIECE // 8, PIECE // 8 + 1, PIECE + 3])
def test_masks_are_added_word_by_word_and_wrap(bits, length):
    modulus = Modulus(bits)
    counts = np.arange(length) % 200
    keys = [bytes([i] * 32) for i in range(5)]
    words = modulus.words(counts)
    add_masks(words, keys[:3], keys[3:])
    size = bits // 8
    streams = [np.frombuffer(by_blocks(k, size * length), f"<u{size}").astype(object) for k in keys]
    expected = (counts + sum(streams[:3]) - sum(streams[3:])) % 2**bits
    assert (words == expected).all()


def test_a_piece_longer_than_the_buffer_is_refused_and_not_left_bare():
    masks = Masks([KEY], [])
    with pytest.raises(ValueError, match="at most"):
        masks.add_to(np.zeros(PIECE + 1, "<u1"))
    words = np.zeros(16, "<u1")
    masks.add_to(words)
    assert words.tobytes() == by_blocks(KEY, 16)


def test_masks_show_no_key_and_are_not_copied():
    masks = Masks([KEY], [])
    assert KEY.hex() not in repr(masks)
    with pytest.raises(TypeError):
        pickle.dumps(masks)


@given(st.integers(8, 64), st.lists(st.binary(min_size=32, max_size=32), max_size=4))
def test_the_same_masks_cancel_and_words_stay_below_the_modulus(bits, keys):
    modulus = Modulus(bits)
    counts = np.array([i * (2**bits - 1) // 7 for i in range(7)], dtype=np.uint64)
    words = modulus.words(counts)
    add_masks(words, keys, [])
    modulus.reduce(words)
    assert all(int(word) < 2**bits for word in words)
    parsed = modulus.parse(words.tobytes(), 7).copy()
    add_masks(parsed, [], keys)
    modulus.reduce(parsed)
    assert (parsed == counts).all()


@pytest.mark.parametrize("bits", [0, 7, 65, -1, 32.0])
def test_a_modulus_out_of_range_is_refused(bits):
    with pytest.raises(ParameterInvalid):
        Modulus(bits)


def test_words_of_another_length_or_above_the_modulus_are_refused():
    modulus = Modulus(12)
    for content in (b"", bytes(7), bytes(9)):
        with pytest.raises(ValueError, match="words"):
            modulus.parse(content, 4)
    with pytest.raises(ValueError, match=r"2\^12"):
        modulus.parse(np.array([0, 4096], "<u2").tobytes(), 2)
    assert modulus.parse(np.array([0, 4095], "<u2").tobytes(), 2).tolist() == [0, 4095]
