"""How much one party may deliver in memory, beside its uploads: at once, and in all."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from collude.common.errors import ProtocolViolation

AT_ONCE = 4
"""Deliveries of one party under way. A party that keeps to the rules has one, and perhaps the
rest of one whose connection broke."""

IN_ALL = 64 * 1024**2
"""Bytes that one party may deliver. Every message of a session but the upload is far smaller."""

PARCELS = 1000
"""Parcels that one party may deliver, repetitions included: each is noted for good, however short
it is. A session with all its restarts has fewer than twenty."""


class Allowance:
    """What the parties have used of theirs."""

    def __init__(
        self, at_once: int = AT_ONCE, in_all: int = IN_ALL, parcels: int = PARCELS
    ) -> None:
        """Start with nothing used."""
        self._at_once, self._in_all, self._most_parcels = at_once, in_all, parcels
        self._under_way: Counter[str] = Counter()
        self._delivered: Counter[str] = Counter()
        self._parcels: Counter[str] = Counter()

    @contextmanager
    def delivery(self, peer: str) -> Iterator[None]:
        """Count one delivery of `peer` as under way.

        Raises:
            ProtocolViolation: too many are.
        """
        self._refuse_over(peer, "deliveries at once", self._under_way[peer] + 1, self._at_once)
        self._under_way[peer] += 1
        try:
            yield
        finally:
            self._under_way[peer] -= 1

    def check(self, peer: str, length: int) -> None:
        """Return if `peer` may deliver one parcel of so many bytes more.

        Raises:
            ProtocolViolation: it has delivered too much.
        """
        self._refuse_over(peer, "bytes delivered", self._delivered[peer] + length, self._in_all)
        self._refuse_over(peer, "parcels delivered", self._parcels[peer] + 1, self._most_parcels)

    def spend(self, peer: str, length: int) -> None:
        """Note what was accepted; what was refused does not count."""
        self._delivered[peer] += length
        self._parcels[peer] += 1

    def _refuse_over(self, peer: str, what: str, number: int, limit: int) -> None:
        if number > limit:
            raise ProtocolViolation(
                f"too many {what}", party=peer, field="quota", expected=limit, got=number
            )
