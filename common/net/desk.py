"""A party's disclosure desk: tells the attacker once there is something, and notes that it did."""

import asyncio

from collude.common.errors import ColludeError, DisclosureRefused
from collude.common.logs import Log
from collude.common.protocol.codec import encode_message
from collude.common.protocol.disclosing import Disclosing
from collude.common.protocol.messages import AnalystDisclosure, ColluderDisclosure


class DisclosureDesk:
    """A `DisclosureHandler` over anything that discloses."""

    def __init__(self, party: str, disclosing: Disclosing, log: Log) -> None:
        """Have nothing to tell yet."""
        self._party, self._disclosing, self._log = party, disclosing, log
        self._ready = asyncio.Event()
        self._asked = asyncio.Event()
        self._over: ColludeError | None = None

    def look(self) -> None:
        """Look whether there is something to tell now."""
        if self._told() is not None:
            self._ready.set()

    def close(self, error: ColludeError) -> None:
        """Tell all who ask that there will be nothing, and why."""
        self._over = error
        self._ready.set()

    async def disclose(self, peer: str) -> bytes:
        """Return the disclosure as soon as there is one.

        Raises:
            DisclosureRefused: the session ended before there was anything, or the party failed to
                tell it.
        """
        await self._ready.wait()
        told = self._told()
        if told is None:
            raise DisclosureRefused(
                "there is nothing to disclose, and there will be nothing",
                party=self._party,
                got=str(self._over),
            )
        body = encode_message(told)
        self._log.info("disclosed", to=peer, bytes=len(body), kind=type(told).__name__)
        self._asked.set()
        return body

    def _told(self) -> AnalystDisclosure | ColluderDisclosure | None:
        """Return what there is; a party that cannot tell stays in its session all the same."""
        try:
            return self._disclosing.disclosure()
        except ColludeError as error:
            self.close(error)
            return None

    def stop_waiting(self) -> None:
        """Let `wait_until_asked` return at once, now or later."""
        self._asked.set()

    async def wait_until_asked(self, seconds: float) -> bool:
        """Return whether the attacker has come, or the wait was stopped, within `seconds`."""
        try:
            await asyncio.wait_for(self._asked.wait(), seconds)
        except TimeoutError:
            return False
        return True
