"""Mail over real loopback connections with mutual TLS, between parties that keep to the rules."""

import asyncio
import socket

import numpy as np
import pytest

from collude.common.errors import (
    DeadlineExceeded,
    ListenFailed,
    PartyFailed,
    PeerUnreachable,
    ProtocolViolation,
    SessionAborted,
    UploadRejected,
)
from collude.common.net.chunks import Limits
from collude.common.protocol.parcel import Parcel

TWENTY_MB = np.random.default_rng(0).bytes(20_000_000)


def parcel(body=b"hello", sequence=0, sender="participant-0", receiver="analyst"):
    return Parcel(b"session", "r3_upload", sender, receiver, sequence, body)


def answer(body=b"model", sequence=0):
    return parcel(body, sequence, sender="analyst", receiver="participant-0")


@pytest.mark.parametrize("body", [b"", b"hello", TWENTY_MB], ids=["empty", "small", "20MB"])
def test_a_parcel_arrives_as_it_was_sent_both_ways(consortium, desk, body):
    desk.ready["participant-0", 0] = answer(body)

    async def run():
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            await client.deliver(parcel(body))
            await client.deliver(parcel(body))
            return await client.collect(0)

    assert asyncio.run(run()) == answer(body)
    assert desk.accepted == [("participant-0", parcel(body))]


def test_a_parcel_that_does_not_exist_yet_is_waited_for(consortium, desk):
    came = asyncio.Event()

    async def next_for(peer, sequence):
        await came.wait()
        return answer()

    async def run():
        desk.next_for = next_for
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            waiting = asyncio.create_task(client.collect(0))
            await client.deliver(parcel())
            assert not waiting.done()
            came.set()
            return await waiting

    assert asyncio.run(run()) == answer()


def test_a_wait_that_the_server_ends_is_taken_up_again_while_there_is_time(consortium, desk):
    asked = []

    async def next_for(peer, sequence):
        asked.append(sequence)
        if len(asked) == 1:
            await asyncio.Event().wait()
        return answer()

    async def run():
        desk.next_for = next_for
        serving = consortium.serving(desk, longest_call_s=0.1)
        async with serving as address, consortium.client(address) as client:
            return await client.collect(0)

    assert asyncio.run(run()) == answer()
    assert asked == [0, 0]


def test_a_proxy_in_the_environment_is_not_used(consortium, desk, monkeypatch):
    for name in ("http_proxy", "https_proxy", "grpc_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)

    async def run():
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            await client.deliver(parcel())

    asyncio.run(run())
    assert len(desk.accepted) == 1


def _has_ipv6_loopback():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not _has_ipv6_loopback(), reason="this machine has no IPv6 loopback")
def test_ipv6_loopback_works(consortium, desk):
    async def run():
        async with consortium.serving(desk, listen="[::1]:0") as address:
            assert address.startswith("[::1]:")
            async with consortium.client(address) as client:
                await client.deliver(parcel())

    asyncio.run(run())
    assert len(desk.accepted) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_in_use_is_an_error(consortium, desk, host):
    async def run():
        async with consortium.serving(desk, listen=f"{host}:0") as address:
            with pytest.raises(ListenFailed, match="in use"):
                async with consortium.serving(desk, listen=address):
                    pass

    asyncio.run(run())


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (UploadRejected("has NaN", party="participant-0", field="records", expected="finite",
                        got="row 3", hint="Clean it."), UploadRejected),
        (SessionAborted("participant-1 left", party="analyst"), SessionAborted),
        (DeadlineExceeded("did not come", party="participant-1"), DeadlineExceeded),
        (RuntimeError("secret 1234"), PartyFailed),
        (ListenFailed("secret 1234"), PartyFailed),
    ],
)  # fmt: skip
def test_what_the_handler_raises_is_told_at_once(consortium, desk, error, kind, caplog):
    desk.raises = error

    async def run():
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            with pytest.raises(kind) as delivered:
                await client.deliver(parcel())
            with pytest.raises(kind) as collected:
                await client.collect(0)
            return delivered.value, collected.value

    for told in asyncio.run(run()):
        assert type(told) is kind
        assert "1234" not in str(told)
        if kind is not PartyFailed:
            assert str(told) == str(error)
        else:
            assert told.party == "analyst"


def test_a_silent_party_is_a_deadline_that_names_it(consortium, desk):
    async def run():
        async with consortium.serving(desk) as address:
            async with consortium.client(address, deadline_s=0.2) as client:
                with pytest.raises(DeadlineExceeded) as caught:
                    await client.collect(0)
            return address, caught.value

    address, error = asyncio.run(run())
    assert error.party == "analyst"
    assert error.field == address


def test_a_host_that_never_speaks_is_a_deadline_that_names_it(consortium):
    async def run(address):
        async with consortium.client(address, deadline_s=0.3) as client:
            with pytest.raises((DeadlineExceeded, PeerUnreachable)) as caught:
                await client.deliver(parcel())
        return caught.value

    with socket.create_server(("127.0.0.1", 0)) as silent:
        error = asyncio.run(run(f"127.0.0.1:{silent.getsockname()[1]}"))
    assert error.party == "analyst"


def _free_address():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"127.0.0.1:{probe.getsockname()[1]}"


def test_a_party_that_never_starts_is_unreachable_and_named_with_its_address(consortium):
    address = _free_address()

    async def run():
        async with consortium.client(address, deadline_s=0.3) as client:
            with pytest.raises(PeerUnreachable) as caught:
                await client.deliver(parcel())
        return caught.value

    error = asyncio.run(run())
    assert (error.party, error.field) == ("analyst", address)
    assert error.hint


def test_a_party_that_starts_late_is_found(consortium, desk):
    address = _free_address()

    async def run():
        async with consortium.client(address) as client:
            early = asyncio.create_task(client.deliver(parcel()))
            done, _ = await asyncio.wait([early], timeout=0.1)
            assert not done
            async with consortium.serving(desk, listen=address):
                await early

    asyncio.run(run())
    assert len(desk.accepted) == 1


def test_a_body_over_the_rounds_limit_is_refused_in_both_directions(consortium, desk):
    limits = Limits(body=1 << 30, rounds={"r3_upload": 1000})
    desk.ready["participant-0", 0] = answer(b"x" * 1001)

    async def run():
        async with (
            consortium.serving(desk, limits=limits) as address,
            consortium.client(address, limits=limits) as client,
        ):
            with pytest.raises(ProtocolViolation, match="1000") as sent:
                await client.deliver(parcel(b"x" * 1001))
            with pytest.raises(ProtocolViolation, match="1000") as fetched:
                await client.collect(0)
            await client.deliver(parcel(b"x" * 1000))
        return sent.value.party, fetched.value.party

    assert asyncio.run(run()) == ("participant-0", "analyst")
    assert [len(p.body) for _, p in desk.accepted] == [1000]


@pytest.mark.parametrize("body", [bytearray(b"x"), memoryview(b"x"), "x"])
def test_a_body_that_is_not_bytes_is_refused_before_anything_is_sent(consortium, desk, body):
    async def run():
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            with pytest.raises(TypeError, match="must be bytes"):
                await client.deliver(parcel(body))

    asyncio.run(run())
    assert desk.accepted == []


def test_a_parcel_with_another_number_than_asked_for_is_refused(consortium, desk):
    desk.ready["participant-0", 0] = answer(sequence=7)

    async def run():
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            with pytest.raises(ProtocolViolation, match="another number"):
                await client.collect(0)

    asyncio.run(run())
