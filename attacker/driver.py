"""The attacker as a process: asks analyst and colluders, attacks, writes what came out."""

import asyncio
import time
from typing import TypeVar

from collude.attacker.assemble import build_view
from collude.attacker.campaign import Campaign, run_attacks
from collude.attacker.output import write_campaign
from collude.attacker.public import FILE, read_public
from collude.common.errors import ColludeError, DeadlineExceeded, DisclosureRefused, SessionAborted
from collude.common.ids import ANALYST, ATTACKER
from collude.common.logs import party_log
from collude.common.net.disclosure import DisclosureSource, fetch_disclosure
from collude.common.net.setup import Setup
from collude.common.net.tls import channel_credentials
from collude.common.outcome import FAILED, FINISHED, Outcome, error_facts, write_outcome
from collude.common.protocol.codec import decode_message
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.messages import AnalystDisclosure, ColluderDisclosure

ROUNDS = 8
"""Deadlines to wait for a disclosure: so many rounds may come before it."""


class AttackerDriver:
    """The attacker, from its party file to its outcome."""

    def __init__(self, setup: Setup) -> None:
        """Open nothing yet."""
        self._setup = setup
        self._log = party_log(ATTACKER, setup.log_file, setup.echo)
        self._task: asyncio.Task[Campaign] | None = None

    async def run(self) -> Outcome:
        """Gather, attack, and return how it ended."""
        began = time.monotonic()
        self._task = asyncio.create_task(self._attack())
        try:
            campaign = await self._task
        except asyncio.CancelledError:
            interrupted = SessionAborted("was interrupted", party=ATTACKER)
            return self._finish(Outcome(FAILED, error_facts(interrupted)))
        except ColludeError as error:
            return self._finish(Outcome(FAILED, error_facts(error)))
        for name, lacks in campaign.impossible.items():
            self._log.info("cannot run", attack=name, lacks=list(lacks))
        return self._finish(Outcome(FINISHED, rounds={"attack": time.monotonic() - began}))

    def interrupt(self) -> None:
        """Stop: somebody asked the process to."""
        if self._task is not None:
            self._task.cancel()

    async def _attack(self) -> Campaign:
        setup, collusion = self._setup, self._setup.scenario.collusion
        parties = (ANALYST, *collusion.colluders)
        told = dict(zip(parties, await asyncio.gather(*map(self._ask, parties)), strict=True))
        analyst = told.pop(ANALYST)
        view = build_view(
            _expect(ANALYST, analyst, AnalystDisclosure),
            {name: _expect(name, m, ColluderDisclosure) for name, m in told.items()},
            read_public(setup.state_dir / FILE),
        )
        self._log.info("view", uploads=list(view.uploads), disclosures=list(view.disclosures))
        campaign = await asyncio.to_thread(
            run_attacks,
            view,
            collusion.attacks,
            setup.scenario.target,
            setup.entropy.generator,
            everyone=setup.scenario.auditor.everyone,
        )
        write_campaign(setup.state_dir / "attacks", campaign)
        return campaign

    async def _ask(self, party: str) -> AnyMessage:
        setup = self._setup
        source = DisclosureSource(party, setup.peer(party))
        credentials, patience = channel_credentials(setup.tls), setup.scenario.network.deadline_s
        left = ROUNDS
        while True:
            left -= 1
            try:
                body = await fetch_disclosure(ATTACKER, source, credentials, patience)
                break
            except DeadlineExceeded:  # reached, but it has nothing yet
                if not left:
                    raise
        self._log.info("disclosed to me", by=party, bytes=len(body))
        return decode_message(body, party)

    def _finish(self, outcome: Outcome) -> Outcome:
        write_outcome(self._setup.state_dir, outcome)
        self._log.info("ended", state=outcome.state, **outcome.error)
        return outcome


M = TypeVar("M", AnalystDisclosure, ColluderDisclosure)


def _expect(party: str, message: AnyMessage, kind: type[M]) -> M:
    if not isinstance(message, kind):
        raise DisclosureRefused(
            "disclosed something else",
            party=party,
            expected=kind.__name__,
            got=type(message).__name__,
        )
    return message
