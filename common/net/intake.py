"""Taking in uploads: one at a time from each party, a few at once, piece by piece to the disk.

Nothing of an upload is in memory but the pieces on their way, so memory does not grow with a
body, nor with the number of parties. A stream that breaks leaves its part, and the next one
with the same head goes on from there; whatever is refused leaves nothing.
"""

import asyncio
import logging
import mmap
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from os import strerror
from pathlib import Path
from typing import Protocol

from collude.common.errors import ProtocolViolation, RemoteError, UploadNotStored
from collude.common.net.framing import Frame
from collude.common.net.head import Head
from collude.common.net.part import Part
from collude.common.net.pieces import Pieces
from collude.common.net.quota import Quota
from collude.common.net.spool import Spool
from collude.common.net.turns import Turns
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb

ACTIVE_UPLOADS = 16
PATIENCE_S = 15.0
"""Seconds for `BATCH_BYTES`; a peer slower than that makes room for those who wait, and comes
again: what it has sent is kept."""

TURN_S = 30.0
"""Seconds after which an upload makes room if others wait; it queues again and goes on."""

BATCH_BYTES = 2 * 1024**2
"""Bytes that are written at once, from memory to the disk."""

Tell = Callable[[pb.UploadStatus], Awaitable[None]]

_LOG = logging.getLogger(__name__)


class UploadHandler(Protocol):
    """What a party does with uploads."""

    def expect(self, peer: str, head: Head) -> None:
        """Return if a body with this head may come now from `peer`.

        Raises:
            RemoteError: it may not; the peer is told why, and nothing of it is sent.
        """

    async def accept(self, peer: str, parcel: Parcel) -> None:
        """Take a whole, checked parcel of `peer`; the same one again changes nothing.

        Raises:
            RemoteError: the parcel is refused; the peer is told why.
        """


class Intake:
    """A party's uploads, from their heads to their parcels."""

    def __init__(
        self,
        spool: Spool,
        handler: UploadHandler,
        quota: Quota,
        *,
        active: int = ACTIVE_UPLOADS,
        patience_s: float = PATIENCE_S,
        turn_s: float = TURN_S,
    ) -> None:
        """Keep everything.

        Args:
            spool: where bodies are written.
            handler: says what may come, and takes it.
            quota: how much may come.
            active: how many uploads at once; the others queue.
            patience_s: seconds for each `BATCH_BYTES`.
            turn_s: seconds for one stream while others wait.
        """
        self._spool, self._handler, self._quota = spool, handler, quota
        self._turns = Turns(active)
        self._patience_s, self._turn_s = patience_s, turn_s
        self._taken: dict[str, dict[int, str]] = defaultdict(dict)
        self._streams: dict[str, asyncio.Timeout] = {}
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def take(self, head: Head, frames: AsyncIterator[Frame], tell: Tell) -> None:
        """Return once a parcel is held by the handler; a repetition changes nothing.

        Args:
            head: what the peer says; its sender was checked.
            frames: pieces of the body, from the byte that `tell` last named as stored.
            tell: says to the peer how its upload stands.

        Raises:
            RemoteError: it is refused, and nothing of it is kept.
            UploadNotStored: the disk does not take it.
            TimeoutError: the peer is too slow; what came is kept.
        """
        if self._was_taken(head):
            return
        self._handler.expect(head.sender, head)
        async with self._only_stream(head), self._turns.turn(_teller(tell)):
            with _disk(head):
                self._spool.keep_only(head.session)
                await self._accept(head, await self._store(head, frames, tell))

    def _was_taken(self, head: Head) -> bool:
        taken = self._taken[head.sender].get(head.sequence)
        if taken not in {None, head.key}:
            raise ProtocolViolation(
                "repeated a number with another content",
                party=head.sender,
                field="sequence",
                expected="the same parcel",
                got=head.sequence,
            )
        return taken is not None

    @asynccontextmanager
    async def _only_stream(self, head: Head) -> AsyncIterator[None]:
        # Ends an older stream of the same party, and waits until it has left.
        peer = head.sender
        try:
            async with asyncio.timeout(None) as mine:
                older, self._streams[peer] = self._streams.get(peer), mine
                if older is not None and not older.expired():
                    older.reschedule(0.0)
                try:
                    async with self._locks[peer]:
                        yield
                finally:
                    if self._streams[peer] is mine:
                        del self._streams[peer]
        except TimeoutError:
            if not mine.expired():
                raise
            raise ProtocolViolation(
                "another stream of this party took over", party=peer, field="sequence"
            ) from None

    async def _store(self, head: Head, frames: AsyncIterator[Frame], tell: Tell) -> Path:
        spool = self._spool
        whole = await asyncio.to_thread(spool.whole, head)
        if whole is not None:
            return whole
        spool.drop_others(head)
        if not spool.has_begun(head):
            self._quota.check(head, spool)
        part = await asyncio.to_thread(spool.open, head)
        try:
            await self._receive(part, Pieces(head, part.received, frames), tell)
            return await asyncio.to_thread(part.finish)
        except TimeoutError:
            raise
        except (RemoteError, OSError):
            part.discard()
            raise
        finally:
            part.close()

    async def _receive(self, part: Part, pieces: Pieces, tell: Tell) -> None:
        told, end = part.stored, asyncio.get_running_loop().time() + self._turn_s
        await tell(pb.UploadStatus(stored=told))  # the sender waits for this one
        while pieces.missing:
            await asyncio.to_thread(part.write, await self._batch(part, pieces))
            if part.stored != told:
                told = part.stored
                await tell(pb.UploadStatus(stored=told))
            if pieces.missing:
                self._make_room(end)
        async with asyncio.timeout(self._patience_s):
            await pieces.end()

    def _make_room(self, end: float) -> None:
        if self._turns.waiting and asyncio.get_running_loop().time() > end:
            raise TimeoutError

    async def _batch(self, part: Part, pieces: Pieces) -> Sequence[memoryview]:
        batch: list[memoryview] = []
        try:
            async with asyncio.timeout(self._patience_s):
                await pieces.fill(batch, BATCH_BYTES)
        except (TimeoutError, asyncio.CancelledError):
            part.write(batch)  # so that the slowest peer gets on, too
            raise
        return batch

    async def _accept(self, head: Head, file: Path) -> None:
        try:
            with file.open("rb") as opened:
                body = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
            parcel = head.with_body(body).stored_at(file, head.sha256)
            await self._handler.accept(head.sender, parcel)
        except RemoteError:
            file.unlink()
            raise
        self._taken[head.sender][head.sequence] = head.key


@contextmanager
def _disk(head: Head) -> Iterator[None]:
    try:
        yield
    except TimeoutError:  # it is an OSError too, but not the disk's
        raise
    except OSError as error:
        _LOG.exception("an upload cannot be stored")
        raise UploadNotStored(
            "the upload cannot be stored",
            party=head.receiver,
            field="disk",
            got=strerror(error.errno or 0),
        ) from error


def _teller(tell: Tell) -> Callable[[int], Awaitable[None]]:
    return lambda ahead: tell(pb.UploadStatus(ahead=ahead))
