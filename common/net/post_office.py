"""A party's post office: parcels in order into its session, what it says out to everybody.

Some peers call this party and fetch what it has for them; others it calls itself. `accept`
returns as soon as a parcel is noted: the session, which may compute for long, works through all
of them one by one, in a thread.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from collude.common.errors import ColludeError
from collude.common.logs import Log, facts
from collude.common.net.carrier import Carrier
from collude.common.net.mail_client import MailClient
from collude.common.protocol.endpoint import Endpoint
from collude.common.protocol.mailbox import Inbox, Outbox
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.recorded import Recorded
from collude.common.transcript import Transcript

EARLY = 4
"""Parcels held back for one that is missing: a party that waits for each receipt has none."""

LAST_WORDS_S = 2.0
"""Seconds to deliver what is still to be told to those that are called, once all is over."""


Arrival = Parcel | ColludeError | None
"""A parcel, a peer that is lost, or nothing but a reason to look up."""


class Session(Endpoint, Protocol):
    """An endpoint that can be told to end."""

    def give_up(self, error: ColludeError, now: float) -> Sequence[Outgoing]:
        """End it for a reason from outside."""


class PostOffice:
    """A `MailHandler` around any session, and the caller of those that serve mail themselves."""

    def __init__(
        self,
        session: Session,
        transcript: Transcript,
        callers: Sequence[str],
        log: Log,
        after_step: Callable[[], None],
    ) -> None:
        """Keep everything.

        Args:
            session: the party's.
            transcript: notes what it receives.
            callers: peers that call this party.
            log: hears what comes and goes.
            after_step: called whenever the session has moved.
        """
        self._session, self._log, self._after_step = session, log, after_step
        self._endpoint = Recorded(session, transcript)
        self._inboxes = {peer: Inbox(peer, session.name, window=EARLY) for peer in callers}
        self._outboxes = {peer: self._outbox(peer) for peer in callers}
        self._carriers: dict[str, Carrier] = {}
        self._arrived: asyncio.Queue[Arrival] = asyncio.Queue()
        self._stopped: ColludeError | None = None
        self._defect: BaseException | None = None
        self._changed = asyncio.Condition()
        self._handed_out = dict.fromkeys(callers, 0)
        self._sent = dict.fromkeys(callers, 0)

    def _outbox(self, peer: str) -> Outbox:
        return Outbox(self._session.name, peer, resend_after=1.0)

    def call(self, peer: str, client: MailClient, *, needed: bool) -> None:
        """Have the mail with `peer` carried by `client`, before `run`.

        Args:
            peer: a party that serves mail.
            client: to it; somebody else closes it.
            needed: the session is told to end when the peer cannot be reached or refuses; else
                the session hears nothing of it, and goes by its own deadlines.
        """
        self._outboxes[peer] = self._outbox(peer)
        lost = self._lose if needed else None
        self._carriers[peer] = Carrier(client, self._take, lost, self._log)

    async def accept(self, peer: str, parcel: Parcel) -> None:
        """Take a parcel; a repetition changes nothing.

        Raises:
            ProtocolViolation: its number repeats with another content, or is too far ahead.
        """
        for ready in self._inboxes[peer].accept(parcel):
            self._take(ready)

    def _take(self, parcel: Parcel) -> None:
        self._log.info("received", **facts(parcel))
        self._arrived.put_nowait(parcel)

    async def next_for(self, peer: str, sequence: int) -> Parcel:
        """Return the parcel for `peer` with this number as soon as there is one.

        Raises:
            ProtocolViolation: it says that parcels arrived which were never sent.
        """
        outbox = self._outboxes[peer]
        outbox.acknowledge(sequence)
        async with self._changed:
            while (parcel := outbox.get(sequence)) is None:
                await self._changed.wait()
        self._handed_out[peer] = max(self._handed_out[peer], sequence + 1)
        self._log.info("sent", **facts(parcel))
        return parcel

    async def run(self) -> None:
        """Run the session to its end; whoever is late is named.

        Raises:
            Exception: a defect of the session or of a carrier.
        """
        carrying = [asyncio.create_task(carrier.run()) for carrier in self._carriers.values()]
        for task in carrying:
            task.add_done_callback(self._carried)
        try:
            await self._post(self._endpoint.start(time.monotonic()))
            while not self._session.finished:
                parcel = await self._next_arrival()
                await self._post(await asyncio.to_thread(self._step, parcel))
            await self._last_words()
        finally:
            for task in carrying:
                task.cancel()
            await asyncio.gather(*carrying, return_exceptions=True)

    def _lose(self, error: ColludeError) -> None:
        """Tell the session that a peer is lost, after all that came before."""
        self._arrived.put_nowait(error)

    def _carried(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and task.exception() is not None:
            self._defect = task.exception()
            self._arrived.put_nowait(None)

    def _step(self, parcel: Arrival) -> Sequence[Outgoing]:
        now = time.monotonic()
        if self._defect is not None:
            raise self._defect
        if self._stopped is not None:
            return self._session.give_up(self._stopped, now)
        if isinstance(parcel, ColludeError):
            return self._session.give_up(parcel, now)
        if parcel is None:
            return self._endpoint.expire(now)
        return self._endpoint.receive(parcel, now)

    async def _next_arrival(self) -> Arrival:
        if not self._arrived.empty():  # what has come in time is not late
            return self._arrived.get_nowait()
        now = time.monotonic()
        deadline = self._session.deadline
        left = None if deadline is None else max(0.0, deadline - now)
        try:
            return await asyncio.wait_for(self._arrived.get(), left)
        except TimeoutError:
            return None

    def stop(self, error: ColludeError) -> None:
        """End the session for a reason from outside, as soon as the step under way is done."""
        self._stopped = self._stopped or error
        self._arrived.put_nowait(None)  # wakes `run`

    async def _post(self, messages: Sequence[Outgoing]) -> None:
        async with self._changed:
            for message in messages:
                peer = message.receiver
                parcel = self._outboxes[peer].put(message)
                if peer in self._carriers:
                    self._outboxes[peer].acknowledge(parcel.sequence)  # the carrier keeps it
                    self._carriers[peer].put(parcel)
                else:
                    self._sent[peer] += 1
            self._changed.notify_all()
        self._after_step()

    async def _last_words(self) -> None:
        waits = [carrier.wait_until_empty() for carrier in self._carriers.values()]
        try:
            await asyncio.wait_for(asyncio.gather(*waits), LAST_WORDS_S)
        except TimeoutError:
            self._log.warning("somebody did not take the last message")

    async def wait_until_empty(self, seconds: float) -> bool:
        """Return whether all callers have fetched everything within `seconds`."""
        end = time.monotonic() + seconds
        while any(self._handed_out[p] < self._sent[p] for p in self._sent):
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.02)
        return True
