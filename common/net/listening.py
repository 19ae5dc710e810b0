"""Opening a party's ports: where it can be reached stands in its folder afterwards."""

from collections.abc import Sequence

from collude.common.logs import Log
from collude.common.net.address import write_address
from collude.common.net.server import PartyServer, Service
from collude.common.net.setup import Setup
from collude.common.net.tls import server_credentials

LISTENING = "listening"
"""The file with the address of a party's mail, or of a colluder's disclosure."""


async def open_server(
    setup: Setup, listen: str, services: Sequence[Service], name: str, log: Log
) -> PartyServer:
    """Return a started server; its address stands in the file `name` of the party's folder.

    Raises:
        ListenFailed: the address cannot be listened on.
    """
    names = [member.name for member in setup.roster.members]
    server = PartyServer(listen, server_credentials(setup.tls), names, services)
    address = await server.start()
    write_address(setup.state_dir / name, address)
    log.info(name, address=address)
    return server
