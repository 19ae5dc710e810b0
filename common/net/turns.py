"""Who may upload now, and who waits: a fixed number of places, given in the order of arrival."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

TELL_EVERY_S = 2.0
"""How often those who wait are told how many come first."""


class Turns:
    """Places for a few at once; the others queue."""

    def __init__(self, places: int, tell_every_s: float = TELL_EVERY_S) -> None:
        """Start with all places free."""
        self._free = places
        self._tell_every_s = tell_every_s
        self._queue: deque[asyncio.Event] = deque()

    @property
    def waiting(self) -> int:
        """How many queue."""
        return len(self._queue)

    @asynccontextmanager
    async def turn(self, tell: Callable[[int], Awaitable[None]]) -> AsyncIterator[None]:
        """Hold a place; until there is one, `tell` is called with how many come first."""
        if self._free and not self._queue:
            self._free -= 1
        else:
            await self._wait(tell)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, tell: Callable[[int], Awaitable[None]]) -> None:
        mine = asyncio.Event()
        self._queue.append(mine)
        try:
            while not mine.is_set():
                await tell(self._queue.index(mine) + 1)
                await self._until(mine)
        except BaseException:
            # Whoever leaves the queue must not take along a place just given.
            if mine.is_set():
                self._pass_on()
            else:
                self._queue.remove(mine)
            raise

    async def _until(self, event: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(self._tell_every_s):
                await event.wait()
        except TimeoutError:
            return

    def _pass_on(self) -> None:
        if self._queue:
            self._queue.popleft().set()
        else:
            self._free += 1
