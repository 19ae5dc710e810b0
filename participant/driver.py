"""A participant as a process: its session over gRPC, and its disclosure port if it colludes."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress

from collude.common.data import load_dataset, load_share, split
from collude.common.data.share import Share
from collude.common.errors import ColludeError, DeadlineExceeded, RemoteError, SessionAborted
from collude.common.ids import ANALYST, ATTACKER
from collude.common.logs import Log, facts, party_log
from collude.common.net.desk import DisclosureDesk
from collude.common.net.disclosure import disclosing_service
from collude.common.net.listening import LISTENING, open_server
from collude.common.net.mail_client import MailClient
from collude.common.net.server import PartyServer
from collude.common.net.setup import Setup
from collude.common.net.tls import channel_credentials
from collude.common.outcome import FAILED, FINISHED, Outcome, error_facts, write_outcome
from collude.common.protocol.mailbox import Outbox
from collude.common.protocol.parcel import Outgoing
from collude.common.protocol.recorded import Recorded
from collude.common.rounds_clock import RoundsClock
from collude.common.transcript import FileTranscript
from collude.participant.assemble import assemble
from collude.participant.disclose import ColluderDiscloser
from collude.participant.files import EVERYTHING, write_disclosable
from collude.participant.session import ParticipantSession
from collude.participant.silo import Silo

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
        self._desk: DisclosureDesk | None = None
        self._task: asyncio.Task[None] | None = None

    def _assemble(self) -> tuple[ParticipantSession, Silo]:
        setup = self._setup
        return assemble(
            setup.scenario, setup.name, setup.roster, _share(setup), setup.signing_key,
            setup.entropy,
        )  # fmt: skip

    async def run(self) -> Outcome:
        """Take part until the end, and return how it ended.

        Raises:
            ListenFailed: the disclosure port cannot be listened on.
        """
        server = await self._open_desk() if self._colludes() else None
        try:
            async with self._client() as client:
                await self._until_over(client)
            if server is not None:
                await self._linger()
        finally:
            if server is not None:
                await server.stop()
        return self._finish()

    def interrupt(self) -> None:
        """End the session now: somebody asked the process to stop."""
        if self._task is not None:
            self._task.cancel()
        if self._desk is not None:
            self._desk.stop_waiting()

    def _colludes(self) -> bool:
        return self._setup.name in self._setup.scenario.collusion.colluders

    def _client(self) -> MailClient:
        setup = self._setup
        return MailClient(
            setup.name,
            ANALYST,
            setup.peer(ANALYST),
            channel_credentials(setup.tls),
            setup.scenario.network.deadline_s,
        )

    async def _open_desk(self) -> PartyServer:
        setup = self._setup
        discloser = ColluderDiscloser.of(setup.scenario, self._silo, setup.entropy)
        self._desk = DisclosureDesk(setup.name, discloser, self._log)
        service = disclosing_service(setup.name, [ATTACKER], self._desk)
        return await open_server(setup, setup.listen(), [service], LISTENING, self._log)

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
        if self._desk is not None:
            self._desk.look()
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

    async def _linger(self) -> None:
        """Keep the disclosure port open until the attacker has come, or for one deadline."""
        desk, error = self._desk, self._session.error
        if desk is None or not self._setup.scenario.collusion.attacks:
            return
        desk.look()
        if error is not None:
            desk.close(error)
        wait = self._setup.scenario.network.deadline_s if error is None else FAREWELL_S
        if not await desk.wait_until_asked(wait):
            self._log.warning("nobody asked for the disclosure", seconds=wait)

    def _finish(self) -> Outcome:
        setup, error = self._setup, self._session.error
        if setup.scenario.simulated and self._silo.has_uploaded:
            write_disclosable(setup.state_dir, self._silo.disclosure(EVERYTHING))
        self._clock.stop()
        outcome = Outcome(
            state=FINISHED if error is None else FAILED,
            error={} if error is None else error_facts(error),
            rounds=self._clock.seconds,
            warnings=[str(refused) for refused in self._session.refused],
        )
        write_outcome(setup.state_dir, outcome)
        self._log.info("ended", state=outcome.state, **outcome.error)
        return outcome


def _share(setup: Setup) -> Share:
    """Return the party's own records: from its file, or dealt from the scenario's data set."""
    if setup.file.party.records is not None:
        return load_share(setup.file.party.records, setup.name)
    return split(load_dataset(setup.scenario), setup.scenario)[setup.name]
