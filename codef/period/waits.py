"""How long anybody waits in which round, in deadlines (`network.deadline_s`).

A stage of the coordinator takes one deadline when a silo is gone; so whoever waits for the
coordinator waits longer than that, and the first to give up names the one that is really missing.
"""

from collections.abc import Mapping
from types import MappingProxyType

from collude.common.ids import Round

WINDOW = 10.0
"""Deadlines that a window is open at most."""
IDLE = 3.0
"""Deadlines after which a window closes that nobody asks anything in."""
STRAGGLERS = 2.0
"""Deadlines that the others have to commit once a threshold of silos has."""

COORDINATOR_WAITS: Mapping[Round, float] = MappingProxyType({
    Round.CODEF_JOIN: 10.0,  # the parties are only just being started
    Round.CODEF_COMMIT: WINDOW + STRAGGLERS,
})
"""All others: 1."""

SILO_WAITS: Mapping[Round, float] = MappingProxyType({
    Round.CODEF_JOIN: 12.0,
    Round.CODEF_COMMIT: WINDOW + 2 * STRAGGLERS,
})
"""All others but the release: 3."""


def coordinator_wait(round_: Round) -> float:
    """Return the deadlines for which the coordinator waits in a round."""
    return COORDINATOR_WAITS.get(round_, 1.0)


def silo_wait(round_: Round) -> float:
    """Return the deadlines for which a silo waits in a round."""
    return SILO_WAITS.get(round_, 3.0)
