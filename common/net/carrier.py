"""Mail with one party that serves it: what is sent to it in order, and what it has for us."""

import asyncio
from collections.abc import Awaitable, Callable

from collude.common.errors import ColludeError, DeadlineExceeded, PeerUnreachable, RemoteError
from collude.common.logs import Log, facts
from collude.common.net.mail_client import MailClient
from collude.common.protocol.parcel import Parcel

PAUSE_S = 0.2
"""Seconds between two attempts on a party that cannot be reached."""


class Carrier:
    """Carries parcels to and from one party until it is cancelled."""

    def __init__(
        self,
        client: MailClient,
        take: Callable[[Parcel], None],
        lost: Callable[[ColludeError], None] | None,
        log: Log,
    ) -> None:
        """Keep everything.

        Args:
            client: to the party.
            take: hears each parcel that it has for us, once and in order.
            lost: hears that the party cannot be reached or refuses, once; None: then what is to
                be sent waits for it, as long as it takes.
            log: hears what comes and goes.
        """
        self._client, self._take, self._lost, self._log = client, take, lost, log
        self._waiting: asyncio.Queue[Parcel] = asyncio.Queue()

    def put(self, parcel: Parcel) -> None:
        """Have a parcel delivered after those before it."""
        self._waiting.put_nowait(parcel)

    async def wait_until_empty(self) -> None:
        """Return once the party has taken everything."""
        await self._waiting.join()

    async def run(self) -> None:
        """Carry; returns when the party is lost or refuses."""
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._deliver())
                both.create_task(self._collect())
        except* RemoteError as errors:
            error = errors.exceptions[0]
            if self._lost is not None and isinstance(error, RemoteError):
                self._lost(error)
            self._log.warning("lost", reason=str(error))

    async def _deliver(self) -> None:
        while True:
            parcel = await self._waiting.get()

            async def deliver(parcel: Parcel = parcel) -> None:
                await self._client.deliver(parcel)

            await self._until_reached(deliver)
            self._log.info("sent", **facts(parcel))
            self._waiting.task_done()

    async def _collect(self) -> None:
        number = 0
        while True:

            async def collect(number: int = number) -> None:
                self._take(await self._client.collect(number))

            await self._until_reached(collect)
            number += 1

    async def _until_reached(self, attempt: Callable[[], Awaitable[None]]) -> None:
        """Return once `attempt` came through; nothing yet to be had is no reason to end.

        Raises:
            PeerUnreachable: it cannot be reached, and somebody wants to hear of it.
            RemoteError: it refuses.
        """
        while True:
            try:
                return await attempt()
            except DeadlineExceeded:
                continue
            except PeerUnreachable:
                if self._lost is not None:
                    raise
            await asyncio.sleep(PAUSE_S)
