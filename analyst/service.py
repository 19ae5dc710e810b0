"""The analyst's post office: parcels in order into the session, answers out to those who ask.

`accept` returns as soon as a parcel is noted; the session, which may train for long, works
through them one by one in a thread.
"""

import asyncio
import time
from collections.abc import Callable, Sequence

from collude.analyst.session import AnalystSession
from collude.common.errors import ColludeError, ProtocolViolation
from collude.common.ids import ANALYST, Round
from collude.common.logs import Log, facts
from collude.common.net.head import Head
from collude.common.protocol.mailbox import Inbox, Outbox
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.recorded import Recorded
from collude.common.transcript import Transcript

EARLY = 4
"""Parcels held back for one that is missing: a party that waits for each receipt has none."""


class PostOffice:
    """A `MailHandler` and an `UploadHandler` around the analyst's session."""

    def __init__(
        self,
        session: AnalystSession,
        transcript: Transcript,
        participants: Sequence[str],
        log: Log,
        after_step: Callable[[], None],
    ) -> None:
        """Keep everything; `after_step` is called whenever the session has moved."""
        self._session, self._log, self._after_step = session, log, after_step
        self._endpoint = Recorded(session, transcript)
        self._inboxes = {p: Inbox(p, ANALYST, window=EARLY) for p in participants}
        self._outboxes = {p: Outbox(ANALYST, p, resend_after=1.0) for p in participants}
        self._arrived: asyncio.Queue[Parcel | None] = asyncio.Queue()
        self._stopped: ColludeError | None = None
        self._changed = asyncio.Condition()
        self._handed_out = dict.fromkeys(participants, 0)
        self._sent = dict.fromkeys(participants, 0)

    def expect(self, peer: str, head: Head) -> None:
        """Let an upload come in its round of this session alone.

        Raises:
            ProtocolViolation: it is of another session, or in another round.
        """
        session, refused = self._session, None
        if head.session != session.id:
            refused = ("session", session.id.hex() or "none yet", head.session.hex() or "none yet")
        elif session.round is not Round.UPLOAD or head.round != Round.UPLOAD:
            refused = ("round", f"{Round.UPLOAD.value}, in that round", head.round)
        if refused is not None:
            field, expected, got = refused
            reason = f"an upload of another {field}"
            raise ProtocolViolation(reason, party=peer, field=field, expected=expected, got=got)

    async def accept(self, peer: str, parcel: Parcel) -> None:
        """Take a parcel; a repetition changes nothing.

        Raises:
            ProtocolViolation: its number repeats with another content, or is too far ahead.
        """
        for ready in self._inboxes[peer].accept(parcel):
            self._log.info("received", **facts(ready))
            self._arrived.put_nowait(ready)

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
        """Run the session to its end; whoever is late is named."""
        await self._post(self._endpoint.start(time.monotonic()))
        while not self._session.finished:
            parcel = await self._next_arrival()
            await self._post(await asyncio.to_thread(self._step, parcel))

    def _step(self, parcel: Parcel | None) -> Sequence[Outgoing]:
        now = time.monotonic()
        if self._stopped is not None:
            return self._session.give_up(self._stopped, now)
        if parcel is None:
            return self._endpoint.expire(now)
        return self._endpoint.receive(parcel, now)

    async def _next_arrival(self) -> Parcel | None:
        now = time.monotonic()
        left = (self._session.deadline or now) - now
        try:
            return await asyncio.wait_for(self._arrived.get(), max(0.0, left))
        except TimeoutError:
            return None

    def stop(self, error: ColludeError) -> None:
        """End the session for a reason from outside, as soon as the step under way is done."""
        self._stopped = error
        self._arrived.put_nowait(None)  # wakes `run`

    async def _post(self, messages: Sequence[Outgoing]) -> None:
        async with self._changed:
            for message in messages:
                self._outboxes[message.receiver].put(message)
                self._sent[message.receiver] += 1
            self._changed.notify_all()
        self._after_step()

    async def wait_until_empty(self, seconds: float) -> bool:
        """Return whether everybody has fetched everything within `seconds`."""
        end = time.monotonic() + seconds
        while any(self._handed_out[p] < self._sent[p] for p in self._sent):
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.02)
        return True
