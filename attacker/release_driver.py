"""The querier as a process: it calls every silo, asks, names persons, writes what came out."""

import asyncio
import time
from collections.abc import Mapping

from collude.attacker.releases.assemble import assemble
from collude.attacker.releases.campaign import attacked
from collude.attacker.releases.interruptible import Interruptible
from collude.attacker.releases.output import write_releases
from collude.attacker.releases.session import QuerierSession
from collude.common.data.persons import KNOWN_FILE, KnownPopulation, load_known, population_of
from collude.common.ids import ATTACKER
from collude.common.logs import party_log
from collude.common.net.mail_driver import MailDriver, Peers
from collude.common.net.setup import Setup
from collude.common.outcome import FAILED, FINISHED, Outcome, error_facts, write_outcome

ATTACKS = "attacks"
"""Folder of what the attacks say, in the party's own."""


class ReleaseDriver:
    """The querier, from its party file to its outcome."""

    def __init__(self, setup: Setup) -> None:
        """Make the session; nothing is opened yet.

        Raises:
            DataUnavailable: nothing is known of the persons.
            DataInvalid: what is known does not fit the scenario.
            PluginUnknown: there is no such strategy.
        """
        self._setup = setup
        self._log = party_log(ATTACKER, setup.log_file, setup.echo)
        session = assemble(setup.scenario, setup.roster, _known(setup), setup.entropy)
        self._session = Interruptible(session)
        peers = Peers(called=setup.scenario.participants)
        self._driver = MailDriver(setup, self._session, peers, self._log)

    async def run(self) -> Outcome:
        """Ask until all periods are over, name persons, and return how it ended.

        Raises:
            ScenarioInvalid: the party file does not say where a silo is.
            PluginUnknown: there is no such attack.
        """
        seconds = dict(await self._driver.run())
        setup, session, began = self._setup, self._session.session, time.monotonic()
        scenario = setup.scenario
        periods = await asyncio.to_thread(
            attacked,
            session.results,
            scenario.codef.periods,
            scenario.collusion.attacks,
            setup.entropy.generator,
        )
        write_releases(setup.state_dir / ATTACKS, periods)
        seconds["attack"] = time.monotonic() - began
        outcome = outcome_of(self._session, seconds)
        write_outcome(setup.state_dir, outcome)
        self._log.info("ended", state=outcome.state, **outcome.error)
        return outcome

    def interrupt(self) -> None:
        """End at the next opportunity: somebody asked the process to stop."""
        self._driver.interrupt()


def outcome_of(querier: Interruptible, seconds: Mapping[str, float]) -> Outcome:
    """Return how the querier's part ended: silos that were lost are warnings."""
    error = querier.error
    return Outcome(
        state=FINISHED if error is None else FAILED,
        error={} if error is None else error_facts(error),
        rounds=dict(seconds),
        warnings=_warnings(querier.session),
    )


def _warnings(session: QuerierSession) -> list[str]:
    lost = [*session.given_up.values(), *session.refused.values()]
    notes = [note for result in session.results for note in result.notes]
    return [str(each) for each in (*lost, *notes, *session.strays)]


def _known(setup: Setup) -> tuple[KnownPopulation, ...]:
    """Return what is known of the persons: from the file, or drawn by one who knows the seed."""
    path, scenario = setup.state_dir / KNOWN_FILE, setup.scenario
    if path.exists() or scenario.scenario.seed is None:
        return load_known(path, scenario, setup.name)
    cohorts = range(len(scenario.codef.periods))
    return tuple(population_of(scenario, cohort).known for cohort in cohorts)
