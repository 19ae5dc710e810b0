"""A party's gRPC server: a port, mutual TLS, the guard, and the services that are put on it."""

from collections.abc import Callable, Collection, Sequence

import grpc
import grpc.aio

from collude.common.net.channel import SERVER, bind
from collude.common.net.guard import Guard
from collude.common.net.health import register_health

Service = Callable[[grpc.aio.Server], None]
"""Puts one service on a server before it starts."""

LONGEST_CALL_S = 600.0
"""Seconds after which a server ends a call whose caller set no earlier deadline."""


class PartyServer:
    """Serves some services on one port; `start` first, `stop` last, in one event loop."""

    def __init__(
        self,
        listen: str,
        credentials: grpc.ServerCredentials,
        roster: Collection[str],
        services: Sequence[Service],
        *,
        longest_call_s: float = LONGEST_CALL_S,
    ) -> None:
        """Keep everything; nothing is opened yet.

        Args:
            listen: `host:port`; port 0 takes any free one.
            credentials: of `tls.server_credentials`.
            roster: names that may call.
            services: what to serve, from `mail_service` and `disclosing_service`.
            longest_call_s: a call lasts no longer, whatever the caller's deadline.
        """
        self._listen = listen
        self._credentials = credentials
        self._guard = Guard(roster, longest_call_s)
        self._services = tuple(services)
        self._server: grpc.aio.Server | None = None

    async def start(self) -> str:
        """Listen, and return `host:port` with the port that was taken.

        Raises:
            ListenFailed: the address cannot be listened on.
        """
        server = grpc.aio.server(interceptors=[self._guard], options=SERVER)
        for register in (register_health, *self._services):
            register(server)
        address = bind(server, self._listen, self._credentials)
        await server.start()
        self._server = server
        return address

    async def stop(self, grace_s: float = 1.0) -> None:
        """Take no more calls, and end those that have not ended after `grace_s` seconds."""
        if self._server is not None:
            await self._server.stop(grace_s)
            self._server = None
