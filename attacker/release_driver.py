"""The querier as a process: it calls every silo, asks, names persons, writes what came out."""

import asyncio
import time

from collude.attacker.releases.assemble import assemble
from collude.attacker.releases.campaign import attacked
from collude.attacker.releases.interruptible import Interruptible
from collude.attacker.releases.outcome import ATTACKS, outcome_of
from collude.attacker.releases.output import write_releases
from collude.common.data.persons import KNOWN_FILE, KnownPopulation, load_known, population_of
from collude.common.ids import ATTACKER
from collude.common.logs import party_log
from collude.common.net.mail_driver import MailDriver, Peers
from collude.common.net.setup import Setup
from collude.common.outcome import Outcome, write_outcome


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


def _known(setup: Setup) -> tuple[KnownPopulation, ...]:
    """Return what is known of the persons: from the file, or drawn by one who knows the seed."""
    path, scenario = setup.state_dir / KNOWN_FILE, setup.scenario
    if path.exists() or scenario.scenario.seed is None:
        return load_known(path, scenario, setup.name)
    cohorts = range(len(scenario.codef.periods))
    return tuple(population_of(scenario, cohort).known for cohort in cohorts)
