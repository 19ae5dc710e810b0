"""Messages that lie in a file: decoded in place, checked as those in memory, hashed in place."""

import mmap
import tracemalloc

import numpy as np
import pytest
from testkit.examples import KINDS, example

from collude.common.errors import WireInvalid
from collude.common.protocol.codec import decode_message, digest_of, encode_message, message_digest
from collude.common.protocol.messages import Upload


@pytest.fixture
def mapped(tmp_path):
    def of(body):
        path = tmp_path / "body"
        path.write_bytes(body)
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    return of


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_message_is_read_from_a_file_as_from_memory(mapped, kind):
    body = encode_message(example(kind))
    assert decode_message(mapped(body)) == decode_message(body)
    assert message_digest(mapped(body)) == message_digest(body) == digest_of(example(kind))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_bytes_too_few_or_too_many_are_refused_in_a_file_too(mapped, kind):
    body = encode_message(example(kind))
    for broken in (body[:-1], body + b"\0", b"\0" + body, body[:4]):
        with pytest.raises(WireInvalid):
            decode_message(mapped(broken), "participant-0")


def test_a_header_that_would_be_written_in_another_way_is_refused(mapped):
    body = encode_message(Upload(np.ones((2, 3)), None, np.zeros(2, dtype=np.int64)))
    start = 4 + len(b"Upload")
    length = int.from_bytes(body[start : start + 4], "big")
    # An unknown field at the end of the header: protobuf would read on over it.
    header = body[start + 4 : start + 4 + length] + b"\x78\x01"
    other = body[:start] + len(header).to_bytes(4, "big") + header + body[start + 4 + length :]
    with pytest.raises(WireInvalid, match="canonical"):
        decode_message(mapped(other))


def test_a_large_upload_is_decoded_and_hashed_without_a_copy(mapped):
    upload = Upload(np.ones((40_000, 10)), np.ones((11, 10)), np.zeros(40_000, dtype=np.int64))
    body = mapped(encode_message(upload))
    tracemalloc.start()
    got = decode_message(body)
    assert digest_of(got) == message_digest(body)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200_000 < len(body) / 10
    assert not got.private.flags.writeable
    assert got == upload
