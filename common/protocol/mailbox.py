"""Reliable, ordered, exactly-once delivery between two parties over a link that is none of these.

An `Outbox` numbers parcels and keeps each until it is acknowledged; an `Inbox` drops repeats
and holds back what came too early. Acknowledgements are cumulative: "all below n have come".
The sender never runs further ahead than the window, so a parcel beyond it is a violation.
"""

from itertools import islice

from collude.common.errors import ProtocolViolation
from collude.common.protocol.parcel import Outgoing, Parcel

WINDOW = 64
"""Parcels that may be under way, or held back, between two parties."""


class Outbox:
    """What one party has sent to another and does not yet know to have arrived."""

    def __init__(
        self, sender: str, receiver: str, *, resend_after: float, window: int = WINDOW
    ) -> None:
        """Start empty.

        Args:
            sender: the party whose outbox this is.
            receiver: the party it sends to.
            resend_after: seconds after which an unacknowledged parcel is due again, > 0.
            window: how many unacknowledged parcels may be under way, >= 1.
        """
        self.sender = sender
        self.receiver = receiver
        self._resend_after = resend_after
        self._window = window
        self._next = 0
        self._held: dict[int, Parcel] = {}
        self._due_at: dict[int, float] = {}

    @property
    def unacknowledged(self) -> int:
        """How many parcels have been put and not acknowledged."""
        return len(self._held)

    def put(self, outgoing: Outgoing) -> Parcel:
        """Number a message, keep it, and return it as a parcel; it is due at once."""
        parcel = Parcel(
            session=outgoing.session,
            round=outgoing.round,
            sender=self.sender,
            receiver=self.receiver,
            sequence=self._next,
            body=outgoing.body,
        )
        self._held[self._next] = parcel
        self._next += 1
        return parcel

    def get(self, sequence: int) -> Parcel | None:
        """Return the parcel with this number, or None if it is not there (yet, or any more)."""
        return self._held.get(sequence)

    def acknowledge(self, below: int) -> None:
        """Forget all parcels with a number under `below`; an older `below` changes nothing.

        Raises:
            ProtocolViolation: `below` acknowledges what was never sent.
        """
        if not 0 <= below <= self._next:
            raise ProtocolViolation(
                "acknowledged a parcel that was never sent",
                party=self.receiver,
                field="sequence",
                expected=f"at most {self._next}",
                got=below,
            )
        for sequence in [known for known in self._held if known < below]:
            del self._held[sequence]
            self._due_at.pop(sequence, None)

    def due(self, now: float) -> list[Parcel]:
        """Return what to send, or send again, at time `now`, in order; it counts as sent."""
        ready = [s for s in self._under_way() if self._due_at.get(s, now) <= now]
        for sequence in ready:
            self._due_at[sequence] = now + self._resend_after
        return [self._held[sequence] for sequence in ready]

    def next_due(self, now: float) -> float | None:
        """Return when `due` next has something, not before `now`; None if all has arrived."""
        times = [self._due_at.get(sequence, now) for sequence in self._under_way()]
        return max(now, min(times)) if times else None

    def _under_way(self) -> list[int]:
        # Numbers are kept in the order they were put, so the first of them are the oldest.
        return list(islice(self._held, self._window))


class Inbox:
    """What one party has received from another, put back into order."""

    def __init__(self, sender: str, receiver: str, *, window: int = WINDOW) -> None:
        """Start empty.

        Args:
            sender: the party that parcels must come from.
            receiver: the party whose inbox this is.
            window: how far ahead of the next expected number a parcel may be, >= 1.
        """
        self.sender = sender
        self.receiver = receiver
        self._window = window
        self._early: dict[int, Parcel] = {}
        self._seen: list[bytes] = []

    @property
    def expected(self) -> int:
        """The next number to hand on: all below it have come. This is the acknowledgement."""
        return len(self._seen)

    def accept(self, parcel: Parcel) -> list[Parcel]:
        """Take a parcel and return those that are now next, in order: none, one or several.

        Raises:
            ProtocolViolation: it is of other parties, too far ahead, or repeats a number with
                another content. Nothing has changed then.
        """
        self._check(parcel)
        if parcel.sequence >= self.expected:
            self._early.setdefault(parcel.sequence, parcel)
        return self._release()

    def _release(self) -> list[Parcel]:
        ready: list[Parcel] = []
        while (parcel := self._early.pop(self.expected, None)) is not None:
            self._seen.append(_fingerprint(parcel))
            ready.append(parcel)
        return ready

    def _check(self, parcel: Parcel) -> None:
        limit = self.expected + self._window
        if (parcel.sender, parcel.receiver) != (self.sender, self.receiver):
            raise self._violation(
                "sent a parcel of other parties",
                f"{self.sender} to {self.receiver}",
                f"{parcel.sender} to {parcel.receiver}",
            )
        if not 0 <= parcel.sequence < limit:
            raise self._violation("is too far ahead", f"under {limit}", parcel.sequence)
        known = self._known(parcel.sequence)
        if known is not None and known != _fingerprint(parcel):
            raise self._violation(
                "repeated a number with another content", "the same parcel", parcel.sequence
            )

    def _known(self, sequence: int) -> bytes | None:
        if sequence < self.expected:
            return self._seen[sequence]
        early = self._early.get(sequence)
        return None if early is None else _fingerprint(early)

    def _violation(self, reason: str, expected: object, got: object) -> ProtocolViolation:
        return ProtocolViolation(
            reason, party=self.sender, field="sequence", expected=expected, got=got
        )


def _fingerprint(parcel: Parcel) -> bytes:
    """Return what two copies of a parcel must share: session, round and body."""
    head = len(parcel.session).to_bytes(4, "big") + parcel.session + parcel.round.encode()
    return parcel.digest() + head
