"""A face network by file and hash: what is refused, and what the network is shown.

The networks here are written byte by byte: no file of a real one comes with this project. One
that somebody has is tried with COLLUDE_ONNX_FACE=FILE.
"""

import hashlib
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from collude.attacker.auditor import PublicPeople, linkage, make_auditor
from collude.attacker.auditor.onnx_face import NAME
from collude.common.data.orl_faces import load_orl_faces
from collude.common.errors import AuditorUnusable, DataUnavailable, ExtraMissing
from collude.common.scenario.sections import Auditor as Settings
from collude.common.scenario.sections import Data

GREY = np.arange(30.0).reshape(1, 30) / 29


def varint(number):
    return bytes([number]) if number < 128 else bytes([number % 128 + 128]) + varint(number // 128)


def field(number, value):
    """One field of a protobuf message: an integer, a text, or a message."""
    if isinstance(value, int):
        return varint(number * 8) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number * 8 + 2) + varint(len(raw)) + raw


def tensor(name, *dimensions):
    """A ValueInfoProto of float32; a text is a dimension that may be anything."""
    shape = b"".join(
        field(1, field(1, size) if isinstance(size, int) else field(2, size)) for size in dimensions
    )
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def network(*dimensions, operator="Flatten", inputs=1):
    """An ONNX file of one operator, from `x` to `y`."""
    node = field(1, "x") + field(2, "y") + field(4, operator)
    given = b"".join(field(11, tensor("x" * (i + 1), *dimensions)) for i in range(inputs))
    graph = field(1, node) + field(2, "g") + given + field(12, tensor("y", "n", "e"))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


@pytest.fixture
def settings(tmp_path):
    def _settings(content, **changes):
        path = tmp_path / "face.onnx"
        path.write_bytes(content)
        right = {"name": NAME, "model": str(path), "sha256": hashlib.sha256(content).hexdigest()}
        return Settings(**right | changes)

    return _settings


@pytest.fixture
def public(population):
    return population().public()


@pytest.mark.parametrize("missing", ["model", "sha256"])
def test_without_file_or_hash_the_key_is_named(public, settings, missing):
    with pytest.raises(AuditorUnusable) as caught:
        make_auditor(public, settings(b"x", **{missing: None}))
    assert caught.value.field == f"auditor.{missing}"


def test_a_file_that_is_not_there_is_named(public, settings):
    with pytest.raises(DataUnavailable, match=r"gone\.onnx"):
        make_auditor(public, settings(b"x", model="gone.onnx"))
    with pytest.raises(DataUnavailable):
        make_auditor(public, settings(b"x", model=str(Path(__file__).parent)))


def test_another_file_than_was_named_is_refused_with_both_hashes(public, settings):
    with pytest.raises(AuditorUnusable) as caught:
        make_auditor(public, settings(b"x", sha256="0" * 64))
    assert caught.value.expected == "0" * 64
    assert caught.value.got == hashlib.sha256(b"x").hexdigest()


def test_records_that_are_no_pictures_are_refused(public, settings):
    bare = PublicPeople(public.records, public.identities, public.features, None, public.protected)
    with pytest.raises(AuditorUnusable, match="are none"):
        make_auditor(bare, settings(b"x"))


def test_without_the_package_the_extra_is_named(public, settings, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ExtraMissing, match=r"collude\[onnx\]"):
        make_auditor(public, settings(b"x"))


@pytest.mark.parametrize(
    "content",
    [
        b"", b"no network", network(1, 3, 8, 7)[:-3], network(1, 3, 8, 7, operator="Nothing"),
        network(1, 1, 8, 7), network(1, 3, "h", "w"), network(3, 8, 7),
        network(1, 3, 8, 7, inputs=2),
    ],
    ids=["empty", "text", "cut", "operator", "one channel", "any size", "three axes", "two inputs"],
)  # fmt: skip
def test_a_file_that_is_no_face_network_is_refused(public, settings, content):
    pytest.importorskip("onnxruntime")
    with pytest.raises(AuditorUnusable) as caught:
        make_auditor(public, settings(content))
    assert caught.value.field == "auditor.model"


@pytest.mark.parametrize("batch", [1, 2, "n"])
def test_the_network_sees_grey_bytes_in_three_channels(public, settings, batch):
    pytest.importorskip("onnxruntime")
    auditor = make_auditor(public, settings(network(batch, 3, 6, 5)))
    pictures = np.concatenate([GREY, 1.0 - GREY, 3.0 * GREY - 1.0])
    seen = auditor.embed(pictures).reshape(3, 3, 30)
    expected = (np.rint(np.clip(pictures, 0.0, 1.0) * 255) - 127) / 128
    for channel in range(3):
        assert np.allclose(seen[:, channel], expected)


def test_it_enlarges_to_what_the_network_takes(public, settings):
    pytest.importorskip("onnxruntime")
    auditor = make_auditor(public, settings(network("n", 3, 12, 10)))
    assert auditor.embed(GREY).shape == (1, 3 * 12 * 10)
    assert auditor.details["input"] == "12 x 10"
    with pytest.raises(AuditorUnusable, match="6 x 5"):
        auditor.embed(np.zeros((1, 29)))


def test_the_hash_of_the_file_stands_for_the_weights(public, settings):
    pytest.importorskip("onnxruntime")
    content = network(1, 3, 8, 7)
    assert make_auditor(public, settings(content)).sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.skipif("COLLUDE_ONNX_FACE" not in os.environ, reason="COLLUDE_ONNX_FACE names no file")
def test_a_real_network_links_real_faces():
    pytest.importorskip("onnxruntime")
    path = Path(os.environ["COLLUDE_ONNX_FACE"])
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    faces = load_orl_faces(Data(source="orl-faces"))
    people = faces.people
    public = PublicPeople(
        people.public.records, people.public.identities, None, faces.image_shape,
        people.identities,
    )  # fmt: skip
    auditor = make_auditor(public, Settings(name=NAME, model=str(path), sha256=digest))
    some = ~people.reserved & (np.arange(len(people.reserved)) % 3 == 0)
    found = linkage(
        faces.records[some], people.identities[some], faces.records[people.reserved],
        people.identities[people.reserved], auditor.embed, np.random.default_rng(0),
    )  # fmt: skip
    assert found["rank1"] > 0.6, found
    assert found["auc"] > 0.8, found
