"""A network in one process, with simulated time: the same faults at the same moments each run.

Every pair of parties has an `Outbox` and an `Inbox`, so the endpoints see each parcel exactly
once and in order, however bad the link between. The clock jumps from event to event; nothing
waits. Two runs with equal endpoints, plan and generator are equal.
"""

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from collude.common.net.fault_plan import REORDER_FACTOR, FaultPlan
from collude.common.protocol.endpoint import Endpoint
from collude.common.protocol.mailbox import Inbox, Outbox
from collude.common.protocol.parcel import Outgoing, Parcel

__all__ = ["Endpoint", "FaultPlan", "MemoryNetwork"]

RESEND_DELAYS = 3.0
"""A parcel is sent again after this many longest delays without an acknowledgement."""

NO_FAULTS = FaultPlan()

Turn = Callable[[Endpoint], Sequence[Outgoing]]


class MemoryNetwork:
    """Connects endpoints, each pair of them, and runs them to their end.

    Attributes:
        now: the simulated time in seconds.
        failures: party -> what its endpoint raised; from then on it is silent.
        counts: how many transmissions were `sent`, `lost`, `duplicated`, `reordered`. Parcels,
            their repetitions and acknowledgements all count.
    """

    def __init__(
        self,
        endpoints: Iterable[Endpoint],
        rng: np.random.Generator,
        plan: FaultPlan = NO_FAULTS,
    ) -> None:
        """Keep the parties, which start in the order given, and the faults they will meet.

        Raises:
            ValueError: two endpoints share a name, or the plan crashes an unknown party.
        """
        parties = list(endpoints)
        self._parties = {endpoint.name: endpoint for endpoint in parties}
        if len(self._parties) != len(parties):
            raise ValueError("two endpoints share a name")
        if strangers := set(plan.crash) - set(self._parties):
            raise ValueError(f"the plan crashes unknown parties: {sorted(strangers)}")
        self.now = 0.0
        self.failures: dict[str, Exception] = {}
        self.counts: Counter[str] = Counter()
        self._rng = rng
        self._plan = plan
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._events = 0
        self._outboxes: dict[tuple[str, str], Outbox] = {}
        self._inboxes: dict[tuple[str, str], Inbox] = {}
        self._flush_at: dict[tuple[str, str], float] = {}
        self._watched: dict[str, float] = {}
        for name in self._parties:
            self._at(0.0, partial(self._turn, name, lambda e: e.start(self.now)))

    def run(self, until: float) -> float:
        """Run until all parties are finished or silent, nothing happens any more, or `until`.

        Returns:
            The simulated time reached, at most `until`.

        Raises:
            ValueError: `until` is not a finite number.
        """
        if not math.isfinite(until):
            raise ValueError(f"until must be finite, not {until}")
        while self._queue and not self._over():
            if self._queue[0][0] > until:
                self.now = max(self.now, until)
                break
            self.now, _, action = heapq.heappop(self._queue)
            action()
        return self.now

    def _over(self) -> bool:
        return all(e.finished or not self._alive(name) for name, e in self._parties.items())

    def _alive(self, name: str) -> bool:
        return name not in self.failures and self.now < self._plan.crash.get(name, math.inf)

    def _at(self, time: float, action: Callable[[], None]) -> None:
        # The running number keeps events of one moment in the order they were planned.
        self._events += 1
        heapq.heappush(self._queue, (time, self._events, action))

    def _turn(self, name: str, turn: Turn) -> None:
        """Let a party act, and post what it wants sent; what it raises makes it silent."""
        if not self._alive(name) or self._parties[name].finished:
            return
        try:
            self._post(name, turn(self._parties[name]))
        except Exception as error:  # noqa: BLE001 -- one party's fault must not stop the others
            self.failures[name] = error
            return
        self._watch(name)

    def _post(self, sender: str, messages: Sequence[Outgoing]) -> None:
        for message in messages:
            if message.receiver not in self._parties or message.receiver == sender:
                raise ValueError(f"{sender} sends to {message.receiver!r}, which is no peer")
        for message in messages:
            link = (sender, message.receiver)
            self._outbox(link).put(message)
            self._flush(link)

    def _outbox(self, link: tuple[str, str]) -> Outbox:
        if link not in self._outboxes:
            patience = RESEND_DELAYS * self._plan.delay[1]
            self._outboxes[link] = Outbox(*link, resend_after=patience)
        return self._outboxes[link]

    def _flush(self, link: tuple[str, str]) -> None:
        """Transmit what is due on a link, and plan to look again when more will be."""
        if not self._alive(link[0]):
            return
        outbox = self._outbox(link)
        for parcel in outbox.due(self.now):
            self._transmit(partial(self._arrive, parcel))
        again = outbox.next_due(self.now)
        if again is not None and again != self._flush_at.get(link):
            self._flush_at[link] = again
            self._at(again, partial(self._flush, link))

    def _transmit(self, arrival: Callable[[], None]) -> None:
        """Send one datagram, a parcel or an acknowledgement, over the bad link."""
        self.counts["sent"] += 1
        if self._happens(self._plan.loss):
            self.counts["lost"] += 1
            return
        self._at(self.now + self._delay(), arrival)
        if self._happens(self._plan.duplicate):
            self.counts["duplicated"] += 1
            self._at(self.now + self._delay(), arrival)

    def _happens(self, probability: float) -> bool:
        return bool(self._rng.random() < probability)

    def _delay(self) -> float:
        shortest, longest = self._plan.delay
        delay = float(self._rng.uniform(shortest, longest))
        if self._happens(self._plan.reorder):
            self.counts["reordered"] += 1
            delay += float(self._rng.uniform(0.0, REORDER_FACTOR * longest))
        return delay

    def _arrive(self, parcel: Parcel) -> None:
        """Acknowledge a parcel at its receiver and hand on what is now in order."""
        if not self._alive(parcel.receiver):
            return
        link = (parcel.sender, parcel.receiver)
        inbox = self._inboxes.setdefault(link, Inbox(*link))
        ready = inbox.accept(parcel)
        self._transmit(partial(self._acknowledged, link, inbox.expected))
        for each in ready:
            self._hand_over(each)

    def _hand_over(self, parcel: Parcel) -> None:
        self._turn(parcel.receiver, lambda e: e.receive(parcel, self.now))

    def _acknowledged(self, link: tuple[str, str], below: int) -> None:
        self._outbox(link).acknowledge(below)
        self._flush(link)

    def _watch(self, name: str) -> None:
        """Plan a call of `expire` at the party's deadline, once for each deadline."""
        deadline = self._parties[name].deadline
        if deadline is None or deadline == self._watched.get(name):
            return
        self._watched[name] = deadline
        # A deadline already past is met one shortest delay later: else time could stand still.
        moment = deadline if deadline > self.now else self.now + self._plan.delay[0]
        self._at(moment, partial(self._expire, name, deadline))

    def _expire(self, name: str, deadline: float) -> None:
        if self._parties[name].deadline == deadline:
            self._turn(name, lambda e: e.expire(self.now))
