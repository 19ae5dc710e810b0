"""The coordinator as a process: it serves mail to all silos, and runs its periods."""

from collude.codef.coordinator.assemble import assemble
from collude.codef.coordinator.files import write_ledgers, write_sums
from collude.codef.coordinator.outcome import outcome_of
from collude.common.ids import COORDINATOR
from collude.common.logs import party_log
from collude.common.net.mail_driver import MailDriver, Peers
from collude.common.net.setup import Setup
from collude.common.outcome import Outcome, write_outcome
from collude.common.scenario import Scenario

A_PERIOD, AN_EPOCH, IN_ALL = 10, 10, 200
"""Parcels of one silo: at most so many in a period's beginning, in an epoch, and beside."""


def parcels_of(scenario: Scenario) -> int:
    """Return how many parcels one silo may deliver: each is noted for good."""
    codef = scenario.codef
    return IN_ALL + len(codef.periods) * (A_PERIOD + AN_EPOCH * codef.epochs)


class CoordinatorDriver:
    """The coordinator, from its party file to its outcome."""

    def __init__(self, setup: Setup) -> None:
        """Make the session; nothing is opened yet.

        Raises:
            ParameterInvalid: counts could not be aggregated under the scenario's terms.
        """
        self._setup = setup
        self._log = party_log(COORDINATOR, setup.log_file, setup.echo)
        self._session = assemble(setup.scenario, setup.roster, setup.signing_key)
        silos = setup.roster.participants
        peers = Peers(callers=silos, parcels=parcels_of(setup.scenario))
        self._driver = MailDriver(setup, self._session, peers, self._log)

    async def run(self) -> Outcome:
        """Serve until all periods are over, and return how it ended.

        Raises:
            ListenFailed: the port cannot be listened on.
        """
        seconds = await self._driver.run()
        outcome = outcome_of(self._session, dict(seconds))
        write_ledgers(self._setup.state_dir, self._session.books)
        if self._setup.scenario.simulated:
            write_sums(self._setup.state_dir, self._session.books)
        write_outcome(self._setup.state_dir, outcome)
        self._log.info("ended", state=outcome.state, **outcome.error)
        return outcome

    def interrupt(self) -> None:
        """End at the next opportunity: somebody asked the process to stop."""
        self._driver.interrupt()
