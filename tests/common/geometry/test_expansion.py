"""The frozen expansion, against known answers and against an implementation that shares no code.

The verifier below is plain Python: `hashlib`, `math`, and Gram-Schmidt instead of a QR. It also
wrote the vectors: run this file as a script, and it prints them.
"""

import hashlib
import json
import math
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from collude.common.geometry import check_anchor
from collude.common.geometry.expansion import (
    anchor_stream_hash,
    expand_anchor,
    expand_transform,
    transform_stream_hash,
)

VECTORS = Path(__file__).parents[2] / "vectors" / "anchor_expansion.json"
SEEDS = [bytes(32), bytes(range(32)), bytes([255] * 32)]
SHAPES = [(2, 1), (4, 3), (9, 5)]


def plain_stream(purpose, r, d, seed):
    head = b"collude/v1/expand/" + purpose + b"\0" + struct.pack(">II", r, d)
    return hashlib.shake_256(head + seed).digest(8 * (r * d + r * d % 2))


def plain_normals(stream):
    words = [word >> 11 for (word,) in struct.iter_unpack("<Q", stream)]
    normals = []
    for first, second in zip(words[::2], words[1::2], strict=True):
        radius = math.sqrt(-2 * math.log(1 - first / 2**53))
        angle = 2 * math.pi * (second / 2**53)
        normals += [radius * math.cos(angle), radius * math.sin(angle)]
    return normals


def plain_gram_schmidt(rows):
    """Return Q, row by row, of the factorisation whose R has a positive diagonal."""
    done = []
    for raw in zip(*rows, strict=True):
        column = list(raw)
        for _ in range(2):
            for q in done:
                overlap = math.fsum(x * y for x, y in zip(column, q, strict=True))
                column = [x - overlap * y for x, y in zip(column, q, strict=True)]
        length = math.sqrt(math.fsum(x * x for x in column))
        done.append([x / length for x in column])
    return [list(row) for row in zip(*done, strict=True)]


def plain_anchor(seed, r, d):
    normals = plain_normals(plain_stream(b"anchor", r, d, seed))
    rows = [normals[i * d : (i + 1) * d] for i in range(r)]
    means = [math.fsum(column) / r for column in zip(*rows, strict=True)]
    return plain_gram_schmidt([[x - m for x, m in zip(row, means, strict=True)] for row in rows])


def plain_transform(seed, d):
    normals = plain_normals(plain_stream(b"common-transform", d + 1, d, seed))
    rows = [normals[i * d : (i + 1) * d] for i in range(d)]
    return plain_gram_schmidt(rows), normals[d * d : d * d + d]


def plain_vectors():
    vectors = []
    for seed in SEEDS:
        for r, d in SHAPES:
            rotation, translation = plain_transform(seed, d)
            anchor = plain_stream(b"anchor", r, d, seed)
            transform = plain_stream(b"common-transform", d + 1, d, seed)
            vectors.append({
                "seed": seed.hex(),
                "r": r,
                "d": d,
                "anchor_stream_sha256": hashlib.sha256(anchor).hexdigest(),
                "anchor": plain_anchor(seed, r, d),
                "transform_stream_sha256": hashlib.sha256(transform).hexdigest(),
                "rotation": rotation,
                "translation": translation,
            })
    return vectors


def stored():
    return json.loads(VECTORS.read_text("utf-8"))


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33)])
def test_another_seed_length_is_refused(seed):
    for expand in (
        lambda: expand_anchor(seed, 4, 3),
        lambda: anchor_stream_hash(seed, 4, 3),
        lambda: expand_transform(seed, 3),
        lambda: transform_stream_hash(seed, 3),
    ):
        with pytest.raises(ValueError, match="32 bytes"):
            expand()


@pytest.mark.parametrize(("r", "d"), [(3, 3), (1, 0), (0, 0), (0, 3)])
def test_too_few_rows_are_refused(r, d):
    for expand in (expand_anchor, anchor_stream_hash):
        with pytest.raises(ValueError, match="r >= d"):
            expand(bytes(32), r, d)


def test_no_width_is_refused():
    for expand in (expand_transform, transform_stream_hash):
        with pytest.raises(ValueError, match="width"):
            expand(bytes(32), 0)


@pytest.mark.parametrize("vector", stored(), ids=lambda v: f"{v['seed'][:4]}-{v['r']}x{v['d']}")
def test_the_product_gives_the_known_answers(vector):
    seed, r, d = bytes.fromhex(vector["seed"]), vector["r"], vector["d"]
    assert anchor_stream_hash(seed, r, d).hex() == vector["anchor_stream_sha256"]
    assert transform_stream_hash(seed, d).hex() == vector["transform_stream_sha256"]
    np.testing.assert_allclose(expand_anchor(seed, r, d), vector["anchor"], atol=1e-12)
    transform = expand_transform(seed, d)
    np.testing.assert_allclose(transform.rotation, vector["rotation"], atol=1e-12)
    np.testing.assert_allclose(transform.translation, vector["translation"], atol=1e-12)


def test_the_verifier_gives_the_known_answers():
    for mine, vector in zip(plain_vectors(), stored(), strict=True):
        assert mine.keys() == vector.keys()
        for key, value in vector.items():
            if isinstance(value, list):
                np.testing.assert_allclose(mine[key], value, atol=1e-12)
            else:
                assert mine[key] == value


def test_an_expanded_anchor_at_full_size_passes_every_participants_check():
    A = expand_anchor(b"\7" * 32, 401, 400)
    check_anchor(A)
    np.testing.assert_array_equal(A, expand_anchor(b"\7" * 32, 401, 400))


def test_what_the_transform_is_made_of_is_normal():
    draws = [expand_transform(i.to_bytes(32, "big"), 20).translation for i in range(300)]
    assert stats.kstest(np.concatenate(draws), "norm").pvalue > 1e-3


def test_every_bit_of_seed_shape_and_purpose_matters():
    hashes = {
        anchor_stream_hash(bytes(32), 4, 3),
        anchor_stream_hash(b"\1" + bytes(31), 4, 3),
        anchor_stream_hash(bytes(31) + b"\1", 4, 3),
        anchor_stream_hash(bytes(32), 6, 2),
        anchor_stream_hash(bytes(32), 5, 3),
        transform_stream_hash(bytes(32), 3),
    }
    assert len(hashes) == 6


if __name__ == "__main__":
    json.dump(plain_vectors(), sys.stdout, indent=1)
