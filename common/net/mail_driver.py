"""Any session as a process: its mail over gRPC in both directions, from its setup to its end."""

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from collude.common.errors import SessionAborted
from collude.common.logs import Log
from collude.common.net.allowance import Allowance
from collude.common.net.channel import INLINE_BYTES
from collude.common.net.chunks import Limits
from collude.common.net.listening import LISTENING, open_server
from collude.common.net.mail_client import MailClient
from collude.common.net.mail_server import mail_service
from collude.common.net.post_office import PostOffice
from collude.common.net.setup import Setup
from collude.common.net.tls import channel_credentials
from collude.common.protocol.faulty import Crashable, with_faults
from collude.common.rounds_clock import RoundsClock
from collude.common.transcript import FileTranscript

FAREWELL_S = 3.0
"""Seconds for callers to fetch the last message."""


@dataclass(frozen=True)
class Peers:
    """With whom a party has mail.

    Attributes:
        callers: those that call it; none: it does not listen.
        called: those that it calls, by the addresses in its party file.
        needed: of those, whom the session cannot go on without.
        parcels: the most that one caller may deliver in all.
    """

    callers: Sequence[str] = ()
    called: Sequence[str] = ()
    needed: frozenset[str] = frozenset()
    parcels: int = 1000


@dataclass
class MailDriver:
    """One party's session between its post office and its port.

    Attributes:
        setup: of the party.
        session: the party's.
        peers: with whom it has mail.
        log: hears what it does.
        moved: called whenever the session has moved.
        clock: how long it stood in which round.
    """

    setup: Setup
    session: Crashable
    peers: Peers
    log: Log
    moved: Callable[[], None] = lambda: None
    clock: RoundsClock = field(default_factory=lambda: RoundsClock(time.monotonic))

    def __post_init__(self) -> None:
        """Make the post office; nothing is opened yet."""
        setup = self.setup
        forced = not setup.scenario.simulated
        transcript = FileTranscript(setup.transcript_dir, setup.name, time.time, forced=forced)
        session = with_faults(self.session, setup.scenario, setup.entropy, _die)
        self._post = PostOffice(session, transcript, self.peers.callers, self.log, self._moved)

    def _moved(self) -> None:
        before, now = self.clock.current, self.session.round.value
        if before != now:
            self.log.info("entered", round=now)
        self.clock.enter(now)
        self.moved()

    async def run(self) -> Mapping[str, float]:
        """Serve and call until the session is over; return the seconds in each round.

        Raises:
            ListenFailed: the port cannot be listened on.
            ScenarioInvalid: the party file lacks an address.
        """
        async with AsyncExitStack() as opened:
            await self._open(opened)
            await self._post.run()
            if not await self._post.wait_until_empty(FAREWELL_S):
                self.log.warning("somebody did not fetch the last message")
        self.clock.stop()
        return self.clock.seconds

    def interrupt(self) -> None:
        """End the session at the next opportunity: somebody asked the process to stop."""
        self._post.stop(SessionAborted("was interrupted", party=self.setup.name))

    async def _open(self, opened: AsyncExitStack) -> None:
        setup, peers = self.setup, self.peers
        for peer in peers.called:
            client = await opened.enter_async_context(self._client(peer))
            self._post.call(peer, client, needed=peer in peers.needed)
        if peers.callers:
            allowance = Allowance(parcels=peers.parcels)
            limits = Limits(INLINE_BYTES)
            service = mail_service(setup.name, peers.callers, self._post, limits, allowance)
            server = await open_server(setup, setup.listen(), [service], LISTENING, self.log)
            opened.push_async_callback(server.stop)

    def _client(self, peer: str) -> MailClient:
        setup = self.setup
        credentials = channel_credentials(setup.tls)
        deadline_s = setup.scenario.network.deadline_s
        return MailClient(setup.name, peer, setup.peer(peer), credentials, deadline_s)


def _die() -> None:
    """End this process without a word, as a crash does: a simulation's fault plan says so."""
    os.kill(os.getpid(), signal.SIGKILL)
