"""The port on which a colluding participant tells the attacker, whatever drives its session."""

from collude.common.errors import ColludeError
from collude.common.ids import ATTACKER
from collude.common.logs import Log
from collude.common.net.desk import DisclosureDesk
from collude.common.net.disclosure import disclosing_service
from collude.common.net.listening import LISTENING, open_server
from collude.common.net.server import PartyServer
from collude.common.net.setup import Setup
from collude.participant.disclose import ColluderDiscloser
from collude.participant.silo import Silo

FAREWELL_S = 2.0
"""Seconds for the attacker to hear that there will be nothing."""


class DisclosurePort:
    """Open while used with `async with`; a participant that does not collude opens nothing."""

    def __init__(self, setup: Setup, silo: Silo, log: Log) -> None:
        """Open nothing yet."""
        self._setup, self._log = setup, log
        self._server: PartyServer | None = None
        self._desk: DisclosureDesk | None = None
        if setup.name in setup.scenario.collusion.colluders:
            discloser = ColluderDiscloser.of(setup.scenario, silo, setup.entropy)
            self._desk = DisclosureDesk(setup.name, discloser, log)

    async def __aenter__(self) -> "DisclosurePort":
        """Listen.

        Raises:
            ListenFailed: the port cannot be listened on.
        """
        setup = self._setup
        if self._desk is not None:
            service = disclosing_service(setup.name, [ATTACKER], self._desk)
            self._server = await open_server(setup, setup.listen(), [service], LISTENING, self._log)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Listen no more."""
        if self._server is not None:
            await self._server.stop()

    def look(self) -> None:
        """Look whether there is something to tell now."""
        if self._desk is not None:
            self._desk.look()

    def stop_waiting(self) -> None:
        """Wait for the attacker no longer."""
        if self._desk is not None:
            self._desk.stop_waiting()

    async def linger(self, error: ColludeError | None) -> None:
        """Stay open until the attacker has come, or for one deadline.

        Args:
            error: why the session ended early, or None.
        """
        desk, scenario = self._desk, self._setup.scenario
        if desk is None or not scenario.collusion.attacks:
            return
        desk.look()
        if error is not None:
            desk.close(error)
        wait = scenario.network.deadline_s if error is None else FAREWELL_S
        if not await desk.wait_until_asked(wait):
            self._log.warning("nobody asked for the disclosure", seconds=wait)
