"""The analyst as a process: its mail and its disclosure over gRPC, its session in between."""

import asyncio
import time

from collude.analyst.assemble import assemble
from collude.analyst.disclose import AnalystDiscloser
from collude.analyst.outcome import outcome_of
from collude.analyst.service import UploadCounter
from collude.common.errors import SessionAborted
from collude.common.ids import ANALYST, ATTACKER, Round
from collude.common.logs import party_log
from collude.common.net.channel import INLINE_BYTES
from collude.common.net.chunks import Limits
from collude.common.net.desk import DisclosureDesk
from collude.common.net.disclosure import disclosing_service
from collude.common.net.intake import Intake
from collude.common.net.listening import LISTENING, open_server
from collude.common.net.mail_server import mail_service
from collude.common.net.post_office import PostOffice
from collude.common.net.quota import LONGEST_UPLOAD, Quota
from collude.common.net.server import PartyServer
from collude.common.net.setup import Setup
from collude.common.net.spool import Spool
from collude.common.net.upload_server import upload_service
from collude.common.outcome import Outcome, write_outcome
from collude.common.rounds_clock import RoundsClock
from collude.common.transcript import FileTranscript

DISCLOSING = "disclosing"
FAREWELL_S = 3.0
"""Seconds for the participants to fetch the last message, and for the attacker after a failure."""


class AnalystDriver:
    """The analyst, from its party file to its outcome."""

    def __init__(self, setup: Setup) -> None:
        """Make the session; nothing is opened yet."""
        self._setup = setup
        self._log = party_log(ANALYST, setup.log_file, setup.echo)
        self._session = assemble(setup.scenario, setup.roster)
        self._clock = RoundsClock(time.monotonic)
        self._spool = Spool(setup.state_dir / "spool")
        self._desk = DisclosureDesk(
            ANALYST, AnalystDiscloser(setup.scenario, self._session), self._log
        )
        forced = not setup.scenario.simulated
        transcript = FileTranscript(setup.transcript_dir, ANALYST, time.time, forced=forced)
        participants = setup.roster.participants
        self._post = PostOffice(self._session, transcript, participants, self._log, self._moved)

    def _moved(self) -> None:
        before, now = self._clock.current, self._session.round.value
        if before != now:
            self._log.info("entered", round=now)
        self._clock.enter(now)
        self._desk.look()

    async def run(self) -> Outcome:
        """Serve until the session is over, and return how it ended.

        Raises:
            ListenFailed: a port cannot be listened on.
        """
        servers = [await self._open_mail(), *await self._open_desk()]
        try:
            await self._post.run()
            await self._linger()
        finally:
            await asyncio.gather(*(server.stop() for server in servers))
            self._spool.keep_only(None)
        return self._finish()

    def interrupt(self) -> None:
        """End the session at the next opportunity: somebody asked the process to stop."""
        self._post.stop(SessionAborted("was interrupted", party=ANALYST))
        self._desk.stop_waiting()

    async def _open_mail(self) -> PartyServer:
        setup = self._setup
        participants = setup.roster.participants
        self._spool.keep_only(None)  # a process that was killed may have left something
        limits = Limits(INLINE_BYTES, {Round.UPLOAD: LONGEST_UPLOAD})
        counter = UploadCounter(self._session, self._post)
        intake = Intake(self._spool, counter, Quota())
        services = [
            mail_service(ANALYST, participants, self._post, limits),
            upload_service(ANALYST, participants, intake, limits),
        ]
        return await open_server(setup, setup.listen(), services, LISTENING, self._log)

    async def _open_desk(self) -> list[PartyServer]:
        listen = self._disclosure_address()
        if listen is None:
            return []
        service = disclosing_service(ANALYST, [ATTACKER], self._desk)
        return [await open_server(self._setup, listen, [service], DISCLOSING, self._log)]

    def _disclosure_address(self) -> str | None:
        setup = self._setup
        return setup.file.disclosure_address if setup.scenario.discloses else None

    async def _linger(self) -> None:
        """Stay until everybody has the last message, and the attacker what it wants."""
        setup, error = self._setup, self._session.error
        if error is not None:
            self._desk.close(error)
        if not await self._post.wait_until_empty(FAREWELL_S):
            self._log.warning("somebody did not fetch the last message")
        attacked = setup.scenario.collusion.attacks and self._disclosure_address()
        if attacked and self._session.collected is not None:
            wait = setup.scenario.network.deadline_s if error is None else FAREWELL_S
            if not await self._desk.wait_until_asked(wait):
                self._log.warning("nobody asked for the disclosure", seconds=wait)

    def _finish(self) -> Outcome:
        self._clock.stop()
        outcome = outcome_of(self._session, self._clock.seconds)
        write_outcome(self._setup.state_dir, outcome)
        self._log.info("ended", state=outcome.state, **outcome.error)
        return outcome
