"""How long anybody waits in which round, in deadlines (`network.deadline_s`).

A stage of the coordinator takes one deadline when a silo is gone; so whoever waits for the
coordinator waits longer than that, and the first to give up names the one that is really missing.
"""

from collections.abc import Mapping
from types import MappingProxyType

from collude.common.ids import Round
from collude.common.protocol.codef_rounds import EPOCH, SETUP

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
JOIN_AGAIN = 3.0
"""Deadlines that the coordinator waits for joins of a later period: the parties run already."""

SILO_WAITS: Mapping[Round, float] = MappingProxyType({
    Round.CODEF_JOIN: 12.0,
    Round.CODEF_COMMIT: WINDOW + 2 * STRAGGLERS,
    # Who is left behind waits for all stages that are still to come: then comes the next lease.
    Round.ADVERTISE_KEYS: 7.0,
    Round.SHARE_KEYS: 6.0,
    Round.MASKED_INPUT: 5.0,
    Round.CONSISTENCY: 4.0,
})
"""All others but the release: 3."""


def coordinator_wait(round_: Round) -> float:
    """Return the deadlines for which the coordinator waits in a round."""
    return COORDINATOR_WAITS.get(round_, 1.0)


def silo_wait(round_: Round) -> float:
    """Return the deadlines for which a silo waits in a round."""
    return SILO_WAITS.get(round_, 3.0)


def period_wait(epochs: int) -> float:
    """Return the deadlines after which a period is over for every silo, if anybody is left.

    For whoever waits for what the silos do after it, where nobody asks them anything in it.
    """
    setup = sum(silo_wait(round_) for round_ in (*SETUP, Round.CODEF_ADAPT))
    one = sum(silo_wait(round_) for round_ in EPOCH if round_ is not Round.CODEF_RELEASE)
    return setup + epochs * one
