"""Post offices over gRPC: sessions that are called, that call, and that do both at once."""

import asyncio
import contextlib

import pytest
from testkit.pingpong import Broken, PingPong, said

from collude.common.errors import PeerUnreachable, RemoteError, SessionAborted
from collude.common.logs import SilentLog
from collude.common.net import pki
from collude.common.net.certificate_check import TlsFiles
from collude.common.net.mail_client import MailClient
from collude.common.net.mail_server import mail_service
from collude.common.net.post_office import PostOffice
from collude.common.net.server import PartyServer
from collude.common.net.tls import channel_credentials, server_credentials
from collude.common.protocol.mailbox import Outbox
from collude.common.transcript import MemoryTranscript

HUB, ASKER = "coordinator", "attacker"
SILOS = ("participant-0", "participant-1", "participant-2")
LAST = 20


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    root = tmp_path_factory.mktemp("pki") / "pki"
    names = (HUB, ASKER, *SILOS)
    pki.init(root, {name: [] for name in names})
    return {
        name: TlsFiles(*((root / name / f"{f}.pem").read_bytes() for f in ("ca", "cert", "key")))
        for name in names
    }


class Party:
    """One party with its post office, its port, and the clients to those it calls."""

    def __init__(self, certificates, session, callers=(), *, deadline_s=20.0):
        self.name, self.session, self._callers = session.name, session, callers
        self._files, self._all, self._deadline_s = (
            certificates[session.name],
            certificates,
            deadline_s,
        )
        self.transcript, self.steps = MemoryTranscript(), 0
        self.post = PostOffice(session, self.transcript, callers, SilentLog(), self._moved)
        self._stack = contextlib.AsyncExitStack()

    def _moved(self):
        self.steps += 1

    async def open(self):
        server = PartyServer(
            "127.0.0.1:0",
            server_credentials(self._files),
            list(self._all),
            [mail_service(self.name, self._callers, self.post)],
        )
        self._stack.push_async_callback(server.stop, 0)
        return await server.start()

    async def call(self, peer, address, *, needed):
        client = MailClient(
            self.name, peer, address, channel_credentials(self._files), self._deadline_s
        )
        self.post.call(peer, await self._stack.enter_async_context(client), needed=needed)

    async def run(self, linger=5.0):
        await self.post.run()
        return await self.post.wait_until_empty(linger)

    async def close(self):
        await self._stack.aclose()


@contextlib.asynccontextmanager
async def closing(*parties):
    try:
        yield
    finally:
        for party in parties:
            await party.close()


def test_a_party_that_serves_calls_and_is_called_has_everything_once_and_in_order(certificates):
    async def play():
        hub = Party(certificates, PingPong(HUB, SILOS, LAST), SILOS)
        silos = [
            Party(certificates, PingPong(s, (HUB, ASKER), LAST, begins=True), (ASKER,))
            for s in SILOS
        ]
        asker = Party(certificates, PingPong(ASKER, SILOS, LAST))
        async with closing(hub, asker, *silos):
            at = await hub.open()
            for silo in silos:
                await silo.call(HUB, at, needed=True)
                await asker.call(silo.name, await silo.open(), needed=False)
            everybody = (hub, asker, *silos)
            assert all(await asyncio.gather(*(p.run() for p in everybody)))
        return everybody

    everybody = asyncio.run(play())
    for party in everybody:
        session = party.session
        for texts in session.heard.values():
            assert [int(t) for t in texts] == list(range(int(texts[0]), LAST + 1, 2))
        for peer in session.heard:
            noted = [e.sequence for e in party.transcript.entries if e.sender == peer]
            assert noted == list(range(len(noted)))
        assert session.error is None
        assert session.expired == 0
        assert party.steps > LAST / 2


def test_one_that_nobody_needs_and_that_is_not_there_is_silence_alone(certificates):
    async def play():
        silo = Party(certificates, PingPong(SILOS[0], (ASKER,), LAST, begins=True), (ASKER,))
        asker = Party(certificates, PingPong(ASKER, SILOS[:2], LAST, patience=1.0), deadline_s=0.3)
        async with closing(silo, asker):
            await asker.call(SILOS[0], await silo.open(), needed=False)
            await asker.call(SILOS[1], "127.0.0.1:1", needed=False)
            await asyncio.gather(silo.run(), asker.run())
        return asker.session

    session = asyncio.run(play())
    assert session.heard[SILOS[0]][-1] == str(LAST)
    assert session.error.code == "E-DEADLINE"
    assert session.error.party == SILOS[1]
    assert session.told == []


def test_one_that_comes_late_is_waited_for(certificates):
    async def play():
        silo = Party(certificates, PingPong(SILOS[0], (ASKER,), LAST, begins=True), (ASKER,))
        address = await silo.open()
        await silo.close()  # nobody listens there for now
        again = Party(certificates, PingPong(SILOS[0], (ASKER,), LAST, begins=True), (ASKER,))
        asker = Party(certificates, PingPong(ASKER, SILOS[:1], LAST), deadline_s=0.2)
        async with closing(asker, again):
            await asker.call(SILOS[0], address, needed=False)
            running = asyncio.create_task(asker.run())
            await asyncio.sleep(0.5)  # longer than one call's deadline
            assert not running.done()
            again_at = PartyServer(
                address,
                server_credentials(certificates[SILOS[0]]),
                list(certificates),
                [mail_service(SILOS[0], (ASKER,), again.post)],
            )
            await again_at.start()
            await asyncio.gather(running, again.run())
            await again_at.stop(0)
        return asker.session

    assert asyncio.run(play()).heard[SILOS[0]][-1] == str(LAST)


def test_one_that_is_needed_and_not_there_ends_the_session(certificates):
    async def play():
        silo = Party(certificates, PingPong(SILOS[0], (HUB,), LAST, begins=True), deadline_s=0.3)
        async with closing(silo):
            await silo.call(HUB, "127.0.0.1:1", needed=True)
            await silo.run()
        return silo.session

    session = asyncio.run(play())
    (told,) = session.told
    assert isinstance(told, PeerUnreachable)
    assert told.party == HUB


def test_one_that_is_needed_and_refuses_ends_the_session(certificates):
    async def play():
        hub = Party(certificates, PingPong(HUB, SILOS[1:], LAST), SILOS[1:])
        silo = Party(certificates, PingPong(SILOS[0], (HUB,), LAST, begins=True))
        async with closing(hub, silo):
            await silo.call(HUB, await hub.open(), needed=True)
            await silo.run()
        return silo.session

    (told,) = asyncio.run(play()).told
    assert isinstance(told, RemoteError)
    assert told.code == "E-IDENTITY"


def test_a_party_that_is_stopped_says_its_last_words(certificates):
    async def play():
        hub = Party(certificates, PingPong(HUB, SILOS[:1], 10**9), SILOS[:1])
        silo = Party(certificates, PingPong(SILOS[0], (HUB,), 10**9, begins=True))
        async with closing(hub, silo):
            await silo.call(HUB, await hub.open(), needed=True)
            serving = asyncio.create_task(hub.run())
            running = asyncio.create_task(silo.run())
            while hub.steps < 10:
                await asyncio.sleep(0.01)
            silo.post.stop(SessionAborted("was interrupted", party=SILOS[0]))
            await asyncio.wait_for(running, 5)
            while hub.session.heard[SILOS[0]][-1] != "-1":
                await asyncio.sleep(0.01)
            hub.post.stop(SessionAborted("enough", party=HUB))
            await serving
        return silo.session

    session = asyncio.run(play())
    assert [e.code for e in session.told] == ["E-ABORTED"]


def test_a_defect_of_the_session_is_not_swallowed(certificates):
    async def play():
        hub = Party(certificates, Broken(HUB, SILOS[:1], LAST), SILOS[:1])
        silo = Party(certificates, PingPong(SILOS[0], (HUB,), LAST, begins=True))
        async with closing(hub, silo):
            await silo.call(HUB, await hub.open(), needed=True)
            talking = asyncio.create_task(silo.run())
            with pytest.raises(ZeroDivisionError):
                await hub.run()
            talking.cancel()
            await asyncio.gather(talking, return_exceptions=True)

    asyncio.run(play())


def test_a_defect_of_what_hears_parcels_is_not_swallowed_either(certificates):
    class Deaf(SilentLog):
        def info(self, event, **values):
            if event == "received":
                raise ZeroDivisionError("a defect")

    async def play():
        hub = Party(certificates, PingPong(HUB, SILOS[:1], LAST, begins=True), SILOS[:1])
        silo = Party(certificates, PingPong(SILOS[0], (HUB,), LAST))
        silo.post = PostOffice(silo.session, silo.transcript, (), Deaf(), lambda: None)
        async with closing(hub, silo):
            await silo.call(HUB, await hub.open(), needed=True)
            serving = asyncio.create_task(hub.run())
            with pytest.raises(ExceptionGroup):
                await asyncio.wait_for(silo.run(), 10)
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(play())


def test_what_has_come_in_time_is_not_late(certificates):
    """A parcel that waits while the session computes past its deadline counts as come."""

    async def play():
        hub = Party(certificates, PingPong(HUB, SILOS[:1], 1, patience=0.0), SILOS[:1])
        parcel = Outbox(SILOS[0], HUB, resend_after=1.0).put(said(HUB, "0"))
        await hub.post.accept(SILOS[0], parcel)
        await hub.post.run()
        return hub.session

    session = asyncio.run(play())
    assert session.expired == 0
    assert session.heard[SILOS[0]] == ["0"]
