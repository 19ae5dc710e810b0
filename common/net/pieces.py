"""The pieces of one body as they come from a stream, each held against what the head declared."""

import asyncio
from collections.abc import AsyncIterator

from collude.common.errors import WireInvalid
from collude.common.net.chunks import broken, most_pieces
from collude.common.net.framing import Frame
from collude.common.net.head import Head

GRACE_S = 0.1
"""Seconds to learn whether a stream that ends too early was ended or has broken."""


class Pieces:
    """What is still to come of a body.

    Attributes:
        missing: bytes.
    """

    def __init__(self, head: Head, start: int, frames: AsyncIterator[Frame]) -> None:
        """Expect the bytes of the body from `start` on."""
        self._head, self._frames = head, frames
        self.missing = head.length - start
        self._most = most_pieces(self.missing)

    async def fill(self, batch: list[memoryview], size: int) -> None:
        """Append the next pieces to `batch`, about `size` bytes or all that are missing.

        Raises:
            WireInvalid: the stream breaks its rules, or ends too early.
        """
        while size > 0 and self.missing:
            piece = await anext(self._frames, None)
            if piece is None:
                # A broken connection looks the same at first; then this wait is cancelled.
                await asyncio.sleep(GRACE_S)
                raise self._broken("stopped before the end", 0)
            batch.append(self._checked(piece))
            self.missing -= len(batch[-1])
            size -= len(batch[-1])

    async def end(self) -> None:
        """Wait for the end of the stream.

        Raises:
            WireInvalid: something else comes.
        """
        if await anext(self._frames, None) is not None:
            raise self._broken("sent more than it declared", 1)

    def _checked(self, piece: Frame) -> memoryview:
        self._most -= 1
        # A second header carries no data.
        data = piece if isinstance(piece, memoryview) else memoryview(b"")
        if not 0 < len(data) <= self.missing or self._most < 0:
            raise self._broken("sent more than it declared", len(data))
        return data

    def _broken(self, reason: str, further: int) -> WireInvalid:
        length = self._head.length
        return broken(self._head, reason, length, length - self.missing + further)
