"""The generator of what hides records: its stream is ChaCha20, and it stays a numpy generator."""

import math
import pickle
import struct

import numpy as np
import pytest

from collude.common.geometry import haar_orthogonal
from collude.common.randomness import Entropy, SecretGenerator

KEY = bytes(range(32))


def rotated(value, by):
    return ((value << by) | (value >> (32 - by))) & 0xFFFFFFFF


def quarter_round(state, a, b, c, d):
    for x, y, z, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[x] = (state[x] + state[y]) & 0xFFFFFFFF
        state[z] = rotated(state[z] ^ state[x], by)


def chacha20_block(key, counter, nonce=bytes(12)):
    """RFC 8439, section 2.3, word by word."""
    start = [*struct.unpack("<4I", b"expand 32-byte k"), *struct.unpack("<8I", key),
             counter, *struct.unpack("<3I", nonce)]  # fmt: skip
    state = list(start)
    for _ in range(10):
        for column in range(4):
            quarter_round(state, column, column + 4, column + 8, column + 12)
        for i in range(4):
            quarter_round(state, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *((s + t) & 0xFFFFFFFF for s, t in zip(state, start, strict=True)))


def test_the_second_derivation_is_chacha20():
    # RFC 8439, section 2.3.2.
    nonce = bytes.fromhex("000000090000004a00000000")
    assert chacha20_block(KEY, 1, nonce)[:8].hex() == "10f1e7e4d13b5915"


def plain_normals(key, count):
    stream = b"".join(chacha20_block(key, i) for i in range(count // 8 + 1))
    for a, b in struct.iter_unpack("<2Q", stream):
        u, v = ((word >> 11) / 2**53 for word in (a, b))
        radius = math.sqrt(-2 * math.log(1 - u))
        yield from (radius * math.cos(2 * math.pi * v), radius * math.sin(2 * math.pi * v))


def test_the_normals_are_box_muller_on_the_keystream():
    drawn = SecretGenerator(KEY).standard_normal((5, 4))
    expected = [x for x, _ in zip(plain_normals(KEY, 20), range(20), strict=False)]
    assert drawn.shape == (5, 4)
    assert np.allclose(drawn.ravel(), expected, rtol=1e-13, atol=0)


def test_no_call_repeats_the_words_of_another():
    rng = SecretGenerator(KEY)
    drawn = np.concatenate([rng.standard_normal(1000), rng.standard_normal(1000)])
    assert len(np.unique(drawn)) == 2000


def test_they_are_normal():
    drawn = np.sort(SecretGenerator(KEY).standard_normal(200_000))
    cumulative = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in drawn[::100]])
    distance = np.abs(cumulative - np.arange(0, 200_000, 100) / 200_000).max()
    assert distance < 1.63 / math.sqrt(200_000)  # Kolmogorov-Smirnov at 1 %


@pytest.mark.parametrize("size", [3, (), (0,), (2, 3), (7, 1, 3), None])
def test_shapes_are_those_of_numpy(size):
    ours, numpys = (
        g.standard_normal(size) for g in (SecretGenerator(KEY), np.random.default_rng(0))
    )
    assert np.shape(ours) == np.shape(numpys)
    assert type(ours) is type(numpys)


def test_what_numpy_builds_on_normals_hides_as_well():
    ours, again = SecretGenerator(KEY), SecretGenerator(KEY)
    assert (ours.normal(2.0, 3.0, 8) == 2.0 + 3.0 * again.standard_normal(8)).all()
    assert (ours.normal([0.0, 1.0], 2.0) == [0.0, 1.0] + 2.0 * again.standard_normal(2)).all()
    assert (haar_orthogonal(4, ours) == haar_orthogonal(4, again)).all()
    drawn = ours.multivariate_normal([1.0, 2.0], np.eye(2), method="cholesky")
    assert (drawn == np.add(again.standard_normal(2), [1.0, 2.0])).all()


def test_the_rest_is_numpys_under_a_key_of_its_own():
    plain = np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(np.frombuffer(KEY, "<u4").tolist()))
    )
    assert SecretGenerator(KEY).random() != plain.random()
    assert SecretGenerator(KEY).random() == SecretGenerator(KEY).random()


def test_other_types_arrays_and_negative_scales_are_refused():
    rng = SecretGenerator(KEY)
    with pytest.raises(TypeError):
        rng.standard_normal(3, dtype=np.float32)
    with pytest.raises(TypeError):
        rng.standard_normal(3, out=np.empty(3))
    with pytest.raises(ValueError, match="negative"):
        rng.normal(0.0, [1.0, -1.0])


def test_it_is_not_pickled_and_another_key_length_is_refused():
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(SecretGenerator(KEY))
    with pytest.raises(ValueError, match="key"):
        SecretGenerator(KEY[:31])


def test_purposes_and_counters_are_streams_of_their_own():
    entropy = Entropy(KEY, simulated=True)
    streams = [("a", 0), ("b", 0), ("a", 1)]
    firsts = {entropy.secret_generator(*stream).standard_normal() for stream in streams}
    firsts.add(entropy.generator("a").standard_normal())
    assert len(firsts) == 4
    assert entropy.secret_generator("a").standard_normal() in firsts
