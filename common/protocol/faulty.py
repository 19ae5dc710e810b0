"""What goes wrong on purpose in a simulation: a session that deviates, or falls silent for ever."""

from collections.abc import Callable, Sequence
from typing import Protocol, cast

import numpy as np

from collude.common import plugins
from collude.common.errors import ColludeError
from collude.common.ids import Round
from collude.common.protocol.endpoint import Endpoint
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.randomness import Entropy
from collude.common.scenario import Scenario


class Endable(Endpoint, Protocol):
    """A session that can be told to end."""

    def give_up(self, error: ColludeError, now: float, /) -> Sequence[Outgoing]:
        """End it for a reason from outside."""


class Crashable(Endable, Protocol):
    """A session that also says where it stands."""

    @property
    def round(self) -> Round:
        """The round that it stands in."""


class DeviatorKind(Protocol):
    """What an entry point of the group `collude.deviators` must be."""

    def __call__(self, session: Endable, rng: np.random.Generator, /) -> Endable:
        """Return a session, not started, that keeps to the protocol but for one deviation."""


class Visits:
    """Whether a session has come into a round so many times: once for each epoch of a period.

    A session that passes a round within one step is not seen there.
    """

    def __init__(self, session: Crashable, where: str) -> None:
        """Count from now on.

        Args:
            session: whose round is looked at.
            where: as a scenario's `faults.crash` says it.
        """
        self._session = session
        self._round, self._left = visit_of(where)
        self._inside = False

    def __call__(self) -> bool:
        """Look where the session stands; return whether it has come there often enough."""
        inside = self._session.round.value == self._round
        self._left -= inside and not self._inside
        self._inside = inside
        return self._left <= 0


def visit_of(where: str) -> tuple[str, int]:
    """Return the round and the visit, from 1, that `round` or `round:visit` names.

    Raises:
        ValueError: it names neither.
    """
    name, colon, number = where.partition(":")
    visit = int(number) if colon else 1
    if visit < 1:
        raise ValueError(f"visits are counted from 1, not {visit}")
    return Round(name).value, visit


class Crashing:
    """A session, up to the moment when it would enter a round: what it says then is never sent.

    Attributes:
        crashed: whether that has happened.
    """

    def __init__(
        self, session: Endable, reached: Callable[[], bool], die: Callable[[], None]
    ) -> None:
        """Keep all three.

        Args:
            session: the session.
            reached: whether it has entered the round.
            die: called at the crash; ends the process where there is one.
        """
        self._session, self._reached, self._die = session, reached, die
        self.crashed = False

    @property
    def name(self) -> str:
        """The party's name."""
        return self._session.name

    @property
    def deadline(self) -> float | None:
        """When to call `expire`; never again after the crash."""
        return None if self.crashed else self._session.deadline

    @property
    def finished(self) -> bool:
        """Whether nothing more is handed to it."""
        return self.crashed or self._session.finished

    def start(self, now: float) -> Sequence[Outgoing]:
        """Begin."""
        return self._alive(self._session.start(now))

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Take one parcel."""
        return self._alive(self._session.receive(parcel, now))

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Take note that the deadline has passed."""
        return self._alive(self._session.expire(now))

    def give_up(self, error: ColludeError, now: float) -> Sequence[Outgoing]:
        """End it for a reason from outside."""
        return [] if self.crashed else self._session.give_up(error, now)

    def _alive(self, outgoing: Sequence[Outgoing]) -> Sequence[Outgoing]:
        if not self._reached():
            return outgoing
        self.crashed = True
        self._die()
        return []


def with_faults(
    session: Crashable, scenario: Scenario, entropy: Entropy, die: Callable[[], None]
) -> Endable:
    """Return the session as the scenario's `[faults]` want it: mostly itself.

    Args:
        session: honest, not started.
        scenario: names who deviates how, and who crashes where.
        entropy: the party's.
        die: called at the crash.

    Raises:
        PluginUnknown: no such deviation is registered.
        PluginInvalid: it cannot be imported.
    """
    faults, made = scenario.faults, cast("Endable", session)
    if session.name in faults.deviator:
        kind = plugins.find(plugins.DEVIATORS, faults.deviator[session.name])
        made = cast("DeviatorKind", kind)(made, entropy.generator("faults/deviator"))
    if session.name in faults.crash:
        made = Crashing(made, Visits(session, faults.crash[session.name]), die)
    return made
