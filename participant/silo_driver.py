"""A silo as a process: mail with the coordinator, which it calls, and with those who ask."""

from collude.common.data.persons import SiloTable, load_tables, population_of
from collude.common.ids import ATTACKER, COORDINATOR
from collude.common.logs import party_log
from collude.common.net.mail_driver import MailDriver, Peers
from collude.common.net.setup import Setup
from collude.common.outcome import Outcome, write_outcome
from collude.common.scenario import Scenario
from collude.participant.codef.assemble import Identity, assemble
from collude.participant.codef.files import write_handles
from collude.participant.codef.outcome import outcome_of

QUESTIONS = 200
"""Parcels that a querier may deliver in an epoch: a strategy that adapts asks in many rounds."""


class SiloDriver:
    """One silo that answers about persons, from its party file to its outcome."""

    def __init__(self, setup: Setup) -> None:
        """Make the session; nothing is opened yet.

        Raises:
            ParameterInvalid: counts could not be aggregated under the scenario's terms.
            DataUnavailable: the party file names no file with this silo's persons.
            DataInvalid: that file, or the book of what was answered, cannot be used.
        """
        self._setup = setup
        self._log = party_log(setup.name, setup.log_file, setup.echo)
        identity = Identity(setup.name, setup.signing_key, setup.entropy, setup.state_dir)
        self._session, self._holdings = assemble(
            setup.scenario, setup.roster, identity, own_tables(setup)
        )
        self._driver = MailDriver(setup, self._session, peers_of(setup.scenario), self._log)

    async def run(self) -> Outcome:
        """Take part until all periods are over, and return how it ended.

        Raises:
            ListenFailed: the port cannot be listened on.
            ScenarioInvalid: the party file does not say where the coordinator is.
        """
        seconds = await self._driver.run()
        setup = self._setup
        if setup.scenario.simulated and self._holdings.handles:
            write_handles(setup.state_dir, self._holdings.handles)
        outcome = outcome_of(self._session, seconds)
        write_outcome(setup.state_dir, outcome)
        self._log.info("ended", state=outcome.state, **outcome.error)
        return outcome

    def interrupt(self) -> None:
        """End at the next opportunity: somebody asked the process to stop."""
        self._driver.interrupt()


def peers_of(scenario: Scenario) -> Peers:
    """Return with whom a silo has mail; nobody calls it where nobody asks."""
    codef = scenario.codef
    return Peers(
        callers=(ATTACKER,) if scenario.collusion.attacks else (),
        called=(COORDINATOR,),
        needed=frozenset({COORDINATOR}),
        parcels=QUESTIONS * codef.epochs * len(codef.periods),
    )


def own_tables(setup: Setup) -> tuple[SiloTable, ...]:
    """Return the silo's own persons: from its file, or drawn by one who knows the seed.

    Raises:
        DataUnavailable: there is no such file, or its party file names none.
        DataInvalid: the file cannot be used.
    """
    scenario = setup.scenario
    if setup.file.party.records is not None:
        return load_tables(setup.file.party.records, scenario, setup.name)
    number = scenario.participants.index(setup.name)
    periods = range(len(scenario.codef.periods))
    return tuple(population_of(scenario, cohort).table(number) for cohort in periods)
