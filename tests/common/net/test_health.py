"""The health service: every party of the roster may ask, nobody else; several addresses bind."""

import asyncio
import contextlib
import datetime as dt
import socket

import grpc
import grpc.aio
import pytest

from collude.common.errors import ListenFailed
from collude.common.ids import ANALYST, ATTACKER, COORDINATOR
from collude.common.net.authorisation import HEALTH
from collude.common.net.certificate_check import TlsFiles
from collude.common.net.certificates import make_authority, make_leaf
from collude.common.net.channel import open_channel
from collude.common.net.health import SERVING
from collude.common.net.server import PartyServer
from collude.common.net.tls import channel_credentials, server_credentials

NOW = dt.datetime.now(dt.UTC)
AUTHORITY = make_authority(NOW, 30)
ROSTER = (ANALYST, ATTACKER, COORDINATOR, "participant-0")


def files(name, authority=AUTHORITY):
    leaf = make_leaf(authority, name, (), NOW, 30)
    return TlsFiles(AUTHORITY.certificate_pem(), leaf.certificate_pem(), leaf.key_pem())


@contextlib.asynccontextmanager
async def serving(listen="127.0.0.1:0"):
    server = PartyServer(listen, server_credentials(files(ANALYST)), ROSTER, ())
    try:
        yield await server.start()
    finally:
        await server.stop(0)


async def ask(name, request=b"", method=HEALTH, authority=AUTHORITY):
    async with (
        serving() as address,
        open_channel(address, ANALYST, channel_credentials(files(name, authority))) as channel,
    ):
        return await channel.unary_unary(method)(request, timeout=20)


def status_of(*args, **kwargs):
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        asyncio.run(ask(*args, **kwargs))
    return caught.value.code()


def test_a_stranger_is_told_nothing() -> None:
    assert status_of("participant-7") is grpc.StatusCode.PERMISSION_DENIED


def test_a_certificate_of_another_ca_does_not_connect() -> None:
    assert status_of(ANALYST, authority=make_authority(NOW, 30)) is grpc.StatusCode.UNAVAILABLE


def test_one_service_alone_is_not_answered_for() -> None:
    assert status_of(ANALYST, request=b"\x0a\x01x") is grpc.StatusCode.NOT_FOUND


def test_watching_is_not_served() -> None:
    watch = HEALTH.replace("Check", "Watch")
    assert status_of(ANALYST, method=watch) is grpc.StatusCode.PERMISSION_DENIED


@pytest.mark.parametrize("name", ROSTER)
def test_every_party_of_the_roster_is_answered(name) -> None:
    assert asyncio.run(ask(name)) == SERVING


def test_a_party_serves_on_every_address_that_is_named_and_on_no_other() -> None:
    async def attempt(host, port):
        credentials = channel_credentials(files(ANALYST))
        async with open_channel(f"{host}:{port}", ANALYST, credentials) as channel:
            try:
                return await channel.unary_unary(HEALTH)(b"", timeout=20)
            except grpc.aio.AioRpcError as error:
                return error.code()

    async def all_three():
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        listen = f"127.0.0.1:{port},127.0.0.2:{port}"
        async with serving(listen) as address:
            assert address == f"127.0.0.1:{port}"
            return [await attempt(f"127.0.0.{last}", port) for last in (1, 2, 3)]

    assert asyncio.run(all_three()) == [SERVING, SERVING, grpc.StatusCode.UNAVAILABLE]


def test_one_address_that_cannot_be_bound_is_named() -> None:
    async def attempt():
        async with serving("127.0.0.1:0,192.0.2.1:1"):
            pass

    with pytest.raises(ListenFailed) as caught:
        asyncio.run(attempt())
    assert caught.value.got == "192.0.2.1:1"
