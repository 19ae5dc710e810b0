"""The canonical encoding: what it refuses, that it has one form, and that it comes back."""

import struct
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from testkit.examples import EXAMPLES, KINDS
from testkit.messages import ANY_MESSAGE, messages, same

from collude.common.errors import WireInvalid
from collude.common.protocol import codec
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message, encode_message, kind_of
from collude.common.protocol.codec_fields import field_kinds
from collude.wire.v1 import array_pb2, join_pb2, upload_pb2

FLOAT64, INT64 = array_pb2.ELEMENT_TYPE_FLOAT64, array_pb2.ELEMENT_TYPE_INT64
UPLOAD = m.Upload(np.arange(6.0).reshape(3, 2), None, np.array([1, 0, 1]))


def lp(item: bytes) -> bytes:
    return struct.pack(">I", len(item)) + item


def raw(kind: str, header: bytes, payload: bytes = b"") -> bytes:
    return lp(kind.encode()) + lp(header) + payload


def refused(body: bytes) -> WireInvalid:
    with pytest.raises(WireInvalid) as caught:
        decode_message(body, "participant-0")
    assert caught.value.party == "participant-0"
    return caught.value


# --- what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_truncated_message_is_refused_at_every_length(kind):
    body = encode_message(EXAMPLES[kind])
    for length in range(len(body)):
        refused(body[:length])


@pytest.mark.parametrize("kind", KINDS)
def test_trailing_bytes_are_refused(kind):
    body = encode_message(EXAMPLES[kind])
    for tail in (b"\0", b"\x80", body, lp(b"")):
        refused(body + tail)


@pytest.mark.parametrize("kind", KINDS)
def test_one_flipped_bit_is_refused_or_makes_another_message_with_these_very_bytes(kind):
    body = encode_message(EXAMPLES[kind])
    for position in range(len(body)):
        for bit in range(8):
            changed = bytearray(body)
            changed[position] ^= 1 << bit
            _refused_or_another(bytes(changed), EXAMPLES[kind])


def _refused_or_another(changed: bytes, original) -> None:
    try:
        message = decode_message(changed)
    except WireInvalid:
        return
    assert not same(message, original)
    assert encode_message(message) == changed


@pytest.mark.parametrize(
    "name", ["Nothing", "join", "Join ", "", "NamedJoin", "A" * 10_000, "\xff"]
)
def test_an_unknown_kind_is_refused_and_not_repeated_at_length(name):
    error = refused(lp(name.encode("latin-1")) + lp(b""))
    assert "unknown kind" in str(error.got)
    assert len(str(error)) < 500


def test_a_field_from_a_later_version_is_refused():
    body = encode_message(m.Finished(3))
    kind = lp(b"Finished")
    header = body[len(kind) + 4 :]
    later_field = b"\x78\x01"  # field 15, varint 1
    assert decode_message(kind + lp(header)) == m.Finished(3)
    refused(kind + lp(header + later_field))


def test_a_default_that_is_written_out_and_a_number_in_more_bytes_than_it_needs_are_refused():
    assert decode_message(raw("Finished", b"")) == m.Finished(0)
    refused(raw("Finished", b"\x08\x00"))
    refused(raw("Finished", b"\x08\x83\x00"))  # 3 in two bytes
    refused(raw("Finished", b"\x08\x04\x08\x03"))  # twice: the last one would win


def test_fields_out_of_order_are_refused():
    honest = encode_message(EXAMPLES[m.AnchorCommit])
    header = honest[len(lp(b"AnchorCommit")) + 4 :]
    commitment, signature = header[:34], header[34:]
    assert raw("AnchorCommit", commitment + signature) == honest
    refused(raw("AnchorCommit", signature + commitment))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_hash_of_another_length_is_refused(length):
    header = join_pb2.Join(
        roster_hash=bytes(length), scenario_digest=bytes(32), nonce=bytes(32),
        session_key=bytes(32), signature=bytes(64),
    )  # fmt: skip
    error = refused(raw("Join", header.SerializeToString()))
    assert f"roster_hash has {length} bytes, not 32" in str(error.got)


def test_a_nested_message_that_is_missing_is_refused():
    header = join_pb2.Welcome(joins=[join_pb2.NamedJoin(name="participant-0")])
    refused(raw("Welcome", header.SerializeToString()))


def test_text_that_is_not_utf8_is_refused():
    refused(raw("Abort", b"\x0a\x02\xc3\x28"))


def test_a_missing_array_is_refused_unless_it_may_be_missing():
    header = upload_pb2.Upload(labels=spec(INT64, 0), signature=bytes(64))
    refused(raw("Upload", header.SerializeToString()))
    assert decode_message(encode_message(UPLOAD)).anchor is None


def spec(element, *shape):
    return array_pb2.ArraySpec(element_type=element, shape=shape)


def upload_of(private, payload=b"", labels=None) -> bytes:
    header = upload_pb2.Upload(
        private=private, labels=labels or spec(INT64, 0), signature=bytes(64)
    )
    return raw("Upload", header.SerializeToString(), payload)


@pytest.mark.parametrize(
    "shape",
    [(), (1,), (1, 1, 1), (0, 0, 0)],
)
def test_an_array_of_other_dimensions_is_refused(shape):
    assert decode_message(upload_of(spec(FLOAT64, 1, 1), bytes(8))).private.shape == (1, 1)
    refused(upload_of(spec(FLOAT64, *shape), bytes(8)))


@pytest.mark.parametrize("element", [0, 3, 99])
def test_an_unknown_element_type_is_refused(element):
    refused(upload_of(spec(element, 1, 1), bytes(8)))


def test_integers_where_numbers_belong_are_refused_and_the_reverse():
    refused(upload_of(spec(INT64, 1, 1), bytes(8)))
    refused(upload_of(spec(FLOAT64, 1, 1), bytes(16), labels=spec(FLOAT64, 1)))


@pytest.mark.parametrize(
    "shape",
    [(1, 2), (2**32, 2**32), (2**63, 2), (2**64 - 1, 2**64 - 1), (1 << 40, 1), (2**61, 1)],
)
def test_a_shape_larger_than_what_came_is_refused_before_anything_is_allocated(shape):
    error = refused(upload_of(spec(FLOAT64, *shape), bytes(8)))
    assert "longer than what came" in str(error.got)


@pytest.mark.parametrize("shape", [(0, 2**63), (2**64 - 1, 0), (0, 2**62), (2**40, 0)])
def test_an_empty_array_with_an_absurd_side_does_no_harm(shape):
    body = upload_of(spec(FLOAT64, *shape))
    try:
        message = decode_message(body)
    except WireInvalid:
        return
    assert message.private.nbytes == 0
    assert encode_message(message) == body


def test_a_header_without_end_is_refused_before_it_is_parsed():
    assert "more than" in refused(raw("Upload", bytes(codec.LONGEST_HEADER + 1))).got
    assert "more than" not in refused(raw("Upload", bytes(codec.LONGEST_HEADER))).got


def test_a_shape_of_many_dimensions_is_refused_and_not_repeated_at_length():
    header = upload_pb2.Upload()
    header.private.element_type = FLOAT64
    header.private.shape.extend([0] * 1_000_000)
    assert "1000000 dimensions" in refused(raw("Upload", header.SerializeToString())).got


def test_a_length_prefix_beyond_the_end_is_refused():
    refused(b"\xff\xff\xff\xff")
    refused(lp(b"Finished") + b"\xff\xff\xff\xff\x08\x03")


# --- what the sender is told of its own mistakes --------------------------------------------


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((2, 2), np.float32), np.zeros((2, 2), np.int64), np.zeros((2, 2), object),
        np.zeros((2, 2), complex), np.zeros(2), np.zeros((1, 1, 1)), [[1.0]], None,
    ],
)  # fmt: skip
def test_an_array_of_another_type_or_shape_is_not_sent(array):
    with pytest.raises(ValueError, match="private"):
        encode_message(replace(UPLOAD, private=array))


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        (m.Join, "width", -1), (m.Join, "width", 2**64), (m.Join, "width", "8"),
        (m.Join, "nonce", bytes(31)), (m.Join, "nonce", "x" * 32), (m.Join, "nonce", None),
        (m.Abort, "reason", b"bytes"), (m.Abort, "reason", "\ud800"),
        (m.AnchorConfirm, "contributors", "abc"), (m.AnchorConfirm, "contributors", (1,)),
        (m.Welcome, "joins", (EXAMPLES[m.Join],)), (m.Welcome, "joins", EXAMPLES[m.Join]),
        (m.Delivery, "alignment", EXAMPLES[m.Evaluation]),
        (m.AnalystDisclosure, "anchor_noise", 1),
    ],
)  # fmt: skip
def test_a_field_of_another_type_or_range_is_not_sent(kind, field, value):
    with pytest.raises(ValueError, match=r"\S"):
        encode_message(replace(EXAMPLES[kind], **{field: value}))


# --- one form -------------------------------------------------------------------------------


@given(ANY_MESSAGE)
def test_every_message_comes_back(message):
    body = encode_message(message)
    back = decode_message(body)
    assert same(back, message)
    assert encode_message(back) == body


@pytest.mark.parametrize("kind", KINDS)
def test_every_class_comes_back_with_all_its_fields(kind):
    message = EXAMPLES[kind]
    assert same(decode_message(encode_message(message)), message)
    assert kind_of(message) == kind.__name__


@given(messages(m.Upload))
def test_memory_order_and_byte_order_of_the_input_do_not_show(upload):
    changed = [
        np.asfortranarray,
        lambda a: a.astype(a.dtype.newbyteorder(">")),
        lambda a: np.repeat(a, 2, axis=0)[::2],
    ]
    body = encode_message(upload)
    for change in changed:
        other = replace(upload, private=change(upload.private), labels=change(upload.labels))
        assert encode_message(other) == body


def test_the_bytes_are_those_that_the_wire_contract_describes():
    header = upload_pb2.Upload(
        private=spec(FLOAT64, 3, 2), labels=spec(INT64, 3), signature=bytes(64)
    )
    payload = struct.pack("<6d", *range(6)) + struct.pack("<3q", 1, 0, 1)
    assert encode_message(UPLOAD) == raw("Upload", header.SerializeToString(), payload)


@pytest.mark.parametrize(
    "number", [0.0, -0.0, float("nan"), float("inf"), 5e-324, -1.7976931348623157e308]
)
def test_special_numbers_come_back_bit_by_bit(number):
    upload = replace(UPLOAD, private=np.array([[number]]), labels=np.array([0]))
    disclosure = replace(EXAMPLES[m.AnalystDisclosure], anchor_noise=number)
    for message in (upload, disclosure):
        assert same(decode_message(encode_message(message)), message)


def test_a_decoded_array_cannot_be_changed():
    private = decode_message(encode_message(UPLOAD)).private
    with pytest.raises(ValueError, match="read-only"):
        private[0, 0] = 1.0


# --- the tables are complete ----------------------------------------------------------------


def test_every_message_class_has_a_wire_form_with_the_same_fields():
    assert set(codec.KINDS) == set(KINDS)
    for kind, proto in codec.KINDS.items():
        assert [f.name for f in fields(kind)] == [f.name for f in proto.DESCRIPTOR.fields]
        assert proto.DESCRIPTOR.name == kind.__name__
        numbers = [f.number for f in proto.DESCRIPTOR.fields]
        assert numbers == list(range(1, len(numbers) + 1))


def test_every_array_field_of_a_round_says_its_element_type():
    free = {(m.NamedArray, "array")}
    nested = {m.NamedArray, m.AlignmentMap, m.NamedUpload}
    for kind in {*KINDS, *nested}:
        for name, field in field_kinds(kind).items():
            if field.is_array and (kind, name) not in free:
                assert field.element in {"f8", "i8"}
                assert field.dimensions in {1, 2}


# --- equality of messages -------------------------------------------------------------------


def test_messages_with_arrays_are_equal_by_content_and_type():
    again = m.Upload(UPLOAD.private.copy(), None, UPLOAD.labels.copy())
    assert again == UPLOAD
    assert replace(again, private=again.private + 1) != UPLOAD
    assert replace(again, anchor=np.zeros((2, 2))) != UPLOAD
    assert replace(again, labels=again.labels.astype(float)) != UPLOAD
    assert EXAMPLES[m.Evaluation] != UPLOAD
    with pytest.raises(TypeError, match="unhashable"):
        hash(UPLOAD)
