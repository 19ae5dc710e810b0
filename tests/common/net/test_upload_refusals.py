"""Uploads that meet a disk which refuses, or a server which lies: said clearly, nothing left."""

import asyncio

import numpy as np
import pytest
from testkit.disk import files_up_to, lies_in, without_privileges

from collude.common.errors import ProtocolViolation, UploadNotStored
from collude.common.net.head import head_of
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb

MIB = 1024 * 1024
BODY = np.random.default_rng(0).bytes(3 * MIB)
PARCEL = Parcel(b"session", "r3_upload", "participant-0", "analyst", 0, BODY)


# --- a disk that refuses -----------------------------------------------------------------------


def test_a_full_disk_is_told_before_anything_is_sent_and_leaves_nothing(consortium, desk, caplog):
    heard = []

    async def run():
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            with files_up_to(2 * MIB), pytest.raises(UploadNotStored) as caught:
                await client.deliver(PARCEL, watch=heard.append)
            assert lies_in(desk.spool) == []
            await client.deliver(PARCEL)
        return caught.value

    error = asyncio.run(run())
    assert (error.party, error.field, error.got) == ("analyst", "disk", "File too large")
    assert str(desk.spool) not in str(error)
    assert "cannot be stored" in caplog.text
    assert heard == []
    assert desk.accepted == [("participant-0", PARCEL)]


def test_a_spool_that_cannot_be_written_is_told_and_leaves_nothing(consortium, desk, caplog):
    async def run():
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            with without_privileges(desk.spool), pytest.raises(UploadNotStored) as caught:
                await client.deliver(PARCEL)
            await client.deliver(PARCEL)
        return caught.value

    assert asyncio.run(run()).got == "Permission denied"
    assert desk.accepted == [("participant-0", PARCEL)]


# --- a server that lies ------------------------------------------------------------------------


LIES = {
    "a receipt for another body": (
        [pb.UploadStatus(receipt=pb.Receipt(sequence=0, sha256=bytes(32)))], "another parcel",
    ),
    "a receipt for another number": (
        [pb.UploadStatus(receipt=pb.Receipt(sequence=1, sha256=head_of(PARCEL).sha256))],
        "another parcel",
    ),
    "no receipt": ([pb.UploadStatus(stored=len(BODY))], "without a receipt"),
    "nothing": ([], "without a receipt"),
    "stored more than there is": ([pb.UploadStatus(stored=len(BODY) + 1)], "not sent"),
    "forgot what it had stored": (
        [pb.UploadStatus(stored=MIB), pb.UploadStatus(stored=0)], "not sent",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LIES)
def test_a_server_whose_answers_make_no_sense_is_named(consortium, serving_rogue, case):
    answers, text = LIES[case]

    async def upload(frames, context):
        await anext(frames)
        for answer in answers:
            await context.write(answer)

    async def run():
        async with serving_rogue(upload) as address, consortium.client(address) as client:
            with pytest.raises(ProtocolViolation, match=text) as caught:
                await client.deliver(PARCEL)
        return caught.value

    assert asyncio.run(run()).party == "analyst"
