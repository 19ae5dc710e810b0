"""A participant under CoDef as a process: mail with the coordinator, then with the analyst."""

from collude.codef.release import FileSessions
from collude.common.ids import ANALYST, COORDINATOR
from collude.common.logs import party_log
from collude.common.net.mail_driver import MailDriver, Peers
from collude.common.net.setup import Setup
from collude.common.outcome import Outcome
from collude.participant.assemble import assemble_counted
from collude.participant.codef.core import SiloCore
from collude.participant.codef.files import USED
from collude.participant.codef.nothing import NothingReleased
from collude.participant.ending import finish, own_share
from collude.participant.telling import DisclosurePort

PEERS = Peers(called=(COORDINATOR, ANALYST), needed=frozenset({COORDINATOR, ANALYST}))


class CountedDriver:
    """One participant whose noise CoDef sets, from its party file to its outcome."""

    def __init__(self, setup: Setup) -> None:
        """Make the session; nothing is opened yet.

        Raises:
            DataInvalid: the records cannot be used, or do not say whose they are.
            ParameterInvalid: counts could not be aggregated under the scenario's terms.
        """
        self._setup = setup
        self._log = party_log(setup.name, setup.log_file, setup.echo)
        core = SiloCore(
            name=setup.name,
            signing_key=setup.signing_key,
            entropy=setup.entropy,
            holdings=NothingReleased(),
            used=FileSessions(setup.state_dir / USED, setup.name),
        )
        self._session, self._silo = assemble_counted(
            setup.scenario, setup.roster, own_share(setup), core
        )
        self._port = DisclosurePort(setup, self._silo, self._log)
        self._driver = MailDriver(setup, self._session, PEERS, self._log, self._port.look)

    async def run(self) -> Outcome:
        """Take part until the end, and return how it ended.

        Raises:
            ListenFailed: the disclosure port cannot be listened on.
            ScenarioInvalid: the party file does not say where coordinator or analyst is.
        """
        async with self._port:
            seconds = await self._driver.run()
            await self._port.linger(self._session.error)
        return finish(self._setup, self._session, self._silo, seconds, self._log)

    def interrupt(self) -> None:
        """End at the next opportunity: somebody asked the process to stop."""
        self._driver.interrupt()
        self._port.stop_waiting()
