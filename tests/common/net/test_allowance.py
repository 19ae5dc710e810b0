"""What one party may deliver in memory: refused beyond it, and nobody else pays."""

import asyncio

import grpc
import pytest

from collude.common.errors import ProtocolViolation
from collude.common.net.allowance import AT_ONCE, IN_ALL, Allowance
from collude.common.net.channel import INLINE_BYTES, open_channel
from collude.common.net.chunks import split
from collude.common.net.tls import channel_credentials
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2_grpc


def test_too_many_deliveries_at_once_are_refused_and_those_that_ended_do_not_count():
    allowance = Allowance(at_once=2)
    for _ in range(3):
        with allowance.delivery("participant-0"), allowance.delivery("participant-0"):
            with pytest.raises(ProtocolViolation) as caught, allowance.delivery("participant-0"):
                pass
            with allowance.delivery("participant-1"):
                pass
    assert (caught.value.party, caught.value.field) == ("participant-0", "quota")


def test_too_many_bytes_in_all_are_refused_and_what_was_refused_does_not_count():
    allowance = Allowance(in_all=100)
    allowance.spend("participant-0", 60)
    for _ in range(2):
        with pytest.raises(ProtocolViolation, match="bytes"):
            allowance.check("participant-0", 41)
    allowance.check("participant-0", 40)
    allowance.check("participant-1", 100)


def test_a_party_with_many_open_deliveries_is_stopped_and_others_are_not(consortium, desk):
    def parcel(sender, sequence=0):
        return Parcel(b"", "r0_join", sender, "analyst", sequence, b"hello")

    async def run():
        credentials = channel_credentials(consortium.files("participant-0"))
        async with (
            consortium.serving(desk) as address,
            open_channel(address, "analyst", credentials) as channel,
            consortium.client(address, "participant-1") as other,
        ):
            stub = mail_pb2_grpc.MailStub(channel)
            calls = [stub.Deliver(timeout=20) for _ in range(AT_ONCE + 3)]
            for sequence, call in enumerate(calls):
                await call.write(next(iter(split(parcel("participant-0", sequence)))))
            codes = [asyncio.create_task(call.code()) for call in calls]
            while sum(task.done() for task in codes) < len(calls) - AT_ONCE:
                await asyncio.wait(
                    [t for t in codes if not t.done()], return_when="FIRST_COMPLETED"
                )
            await other.deliver(parcel("participant-1"))
            for call in calls:
                call.cancel()
            return sorted(map(str, await asyncio.gather(*codes)))

    refused, left = grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.CANCELLED
    assert asyncio.run(run()) == sorted([str(refused)] * 3 + [str(left)] * AT_ONCE)
    assert desk.accepted == [("participant-1", parcel("participant-1"))]


def test_a_body_too_long_for_a_delivery_is_refused_there(consortium, desk):
    long = Parcel(b"", "r3_upload", "participant-0", "analyst", 0, bytes(INLINE_BYTES + 1))

    async def run():
        credentials = channel_credentials(consortium.files("participant-0"))
        async with (
            consortium.serving(desk) as address,
            open_channel(address, "analyst", credentials) as channel,
        ):
            call = mail_pb2_grpc.MailStub(channel).Deliver(timeout=20)
            await call.write(next(iter(split(long))))
            return await call.code()

    assert asyncio.run(run()) is grpc.StatusCode.FAILED_PRECONDITION
    assert desk.accepted == []


def test_an_honest_session_stays_far_below():
    # A thousand participants' envelopes, the largest message but the upload, in all attempts.
    assert IN_ALL / 10 > 4 * 1000 * 300
    assert INLINE_BYTES > 1000 * 300
