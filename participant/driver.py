"""A participant as a process: its session over gRPC, and its disclosure port if it colludes."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress

from collude.common.errors import ColludeError, DeadlineExceeded, RemoteError, SessionAborted
from collude.common.ids import ANALYST
from collude.common.logs import Log, facts, party_log
from collude.common.net.mail_client import MailClient
from collude.common.net.setup import Setup
from collude.common.net.tls import channel_credentials
from collude.common.outcome import Outcome
from collude.common.protocol.mailbox import Outbox
from collude.common.protocol.parcel import Outgoing
from collude.common.protocol.recorded import Recorded
from collude.common.rounds_clock import RoundsClock
from collude.common.transcript import FileTranscript
from collude.participant.assemble import assemble
from collude.participant.ending import finish, own_share
from collude.participant.session import ParticipantSession
from collude.participant.silo import Silo
from collude.participant.telling import DisclosurePort

FAREWELL_S = 2.0
"""Seconds to tell the analyst that this participant gives up."""


class ParticipantDriver:
    """One participant, from its party file to its outcome."""

    def __init__(self, setup: Setup) -> None:
        """Make the session; nothing is opened yet.

        Raises:
            DataInvalid: the records or labels cannot be used.
        """
        self._setup = setup
        self._log: Log = party_log(setup.name, setup.log_file, setup.echo)
        self._session, self._silo = self._assemble()
        forced = not setup.scenario.simulated
        transcript = FileTranscript(setup.transcript_dir, setup.name, time.time, forced=forced)
        self._endpoint = Recorded(self._session, transcript)
        self._clock = RoundsClock(time.monotonic)
        self._outbox = Outbox(setup.name, ANALYST, resend_after=setup.scenario.network.deadline_s)
        self._port = DisclosurePort(setup, self._silo, self._log)
        self._task: asyncio.Task[None] | None = None

    def _assemble(self) -> tuple[ParticipantSession, Silo]:
        setup = self._setup
        return assemble(
            setup.scenario, setup.name, setup.roster, own_share(setup), setup.signing_key,
            setup.entropy,
        )  # fmt: skip

    async def run(self) -> Outcome:
        """Take part until the end, and return how it ended.

        Raises:
            ListenFailed: the disclosure port cannot be listened on.
        """
        async with self._port:
            async with self._client() as client:
                await self._until_over(client)
            await self._port.linger(self._session.error)
        self._clock.stop()
        return finish(self._setup, self._session, self._silo, self._clock.seconds, self._log)

    def interrupt(self) -> None:
        """End the session now: somebody asked the process to stop."""
        if self._task is not None:
            self._task.cancel()
        self._port.stop_waiting()

    def _client(self) -> MailClient:
        setup = self._setup
        return MailClient(
            setup.name,
            ANALYST,
            setup.peer(ANALYST),
            channel_credentials(setup.tls),
            setup.scenario.network.deadline_s,
        )

    async def _until_over(self, client: MailClient) -> None:
        self._task = asyncio.create_task(self._take_part(client))
        try:
            await self._task
        except asyncio.CancelledError:
            interrupted = SessionAborted("was interrupted", party=self._setup.name)
            await self._send(client, self._give_up(interrupted))

    async def _take_part(self, client: MailClient) -> None:
        await self._send(client, await asyncio.to_thread(self._endpoint.start, time.monotonic()))
        number = 0
        while not self._session.finished:
            number = await self._step(client, number)

    async def _step(self, client: MailClient, number: int) -> int:
        """Wait for the parcel with this number, act on it, and return the next number."""
        self._clock.enter(self._session.round.value)
        try:
            parcel = await client.collect(number, self._patience())
        except DeadlineExceeded:
            await self._send(client, self._session.expire(time.monotonic()))
            return number
        except RemoteError as error:
            await self._send(client, self._give_up(error))
            return number
        self._log.info("received", **facts(parcel))
        outgoing = await asyncio.to_thread(self._endpoint.receive, parcel, time.monotonic())
        await self._send(client, outgoing)
        return number + 1

    def _patience(self) -> float:
        """Return for how long to wait in one call: an unreachable analyst ends it earlier."""
        left = (self._session.deadline or time.monotonic()) - time.monotonic()
        return max(0.05, min(left, self._setup.scenario.network.deadline_s))

    async def _send(self, client: MailClient, messages: Sequence[Outgoing]) -> None:
        self._port.look()
        for message in messages:
            parcel = self._outbox.put(message)
            if self._session.error is not None:
                with suppress(RemoteError):
                    await client.deliver(parcel, FAREWELL_S)
                continue
            try:
                await client.deliver(parcel)
            except RemoteError as error:
                await self._send(client, self._give_up(error))
                return
            self._log.info("sent", **facts(parcel))

    def _give_up(self, error: ColludeError) -> Sequence[Outgoing]:
        return self._session.give_up(error, time.monotonic())
