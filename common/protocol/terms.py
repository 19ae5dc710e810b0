"""What all parties of a session must run alike, and the hashes made of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from collude.common.encoding import digest
from collude.common.errors import RosterMismatch
from collude.common.ids import Round
from collude.common.methods import traits_of
from collude.common.protocol.messages import Join, NamedJoin
from collude.common.protocol.rounds import Transitions, plan_of, transitions
from collude.common.roster import Roster
from collude.common.scenario import Scenario, scenario_digest

JOIN_TAG = "collude/v1/join"

MAX_RESTARTS = 3
"""K: each restart gives whoever aborted last a choice between two seeds."""

MIN_PARTICIPANTS = 2
"""Fewer share nothing with anybody."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What all parties of a session must run alike, and how long they wait.

    Attributes:
        roster: everybody, with pinned keys.
        scenario_digest: 32 bytes.
        method: a registered mechanism.
        deadline_s: the longest silence in seconds, > 0.
        repeats: how many training seeds the models and the counts are for.
        model: kind of the model that is trained and delivered.
        attempt: 0, then one more after each restart.
        left_out: sorted names of those who did not do their part in an earlier attempt.
        counted: whether CoDef sets each participant's noise, in a budget period before the join.
        join_deadlines: how many deadlines the analyst waits for the first join.
    """

    roster: Roster
    scenario_digest: bytes
    method: str
    deadline_s: float
    repeats: int = 1
    model: str = "linear"
    attempt: int = 0
    left_out: tuple[str, ...] = ()
    counted: bool = False
    join_deadlines: float = 1.0

    @property
    def participants(self) -> tuple[str, ...]:
        """Who takes part in this attempt, sorted."""
        return tuple(p for p in self.roster.participants if p not in self.left_out)

    def again(self, left_out: tuple[str, ...]) -> "Terms":
        """Return the terms of the next attempt, without `left_out`."""
        return replace(self, attempt=self.attempt + 1, left_out=left_out, join_deadlines=1.0)

    @property
    def plan(self) -> tuple[Round, ...]:
        """The rounds of this method."""
        return plan_of(traits_of(self.method))

    def table(self) -> Transitions:
        """Return the round table of this method."""
        return transitions(self.plan)


def terms_of(scenario: Scenario, roster: Roster) -> Terms:
    """Return the terms that a scenario sets for the parties of a roster."""
    return Terms(
        roster=roster,
        scenario_digest=scenario_digest(scenario),
        method=scenario.mechanism.method,
        deadline_s=scenario.network.deadline_s,
        repeats=len(scenario.training.seeds),
        model=scenario.training.model,
        counted=scenario.codef.enabled,
    )


def session_id(terms: Terms, joins: Sequence[NamedJoin]) -> bytes:
    """Return the 32-byte session id: a hash over the terms and every participant's join.

    Every participant puts a fresh nonce in, so no session has the id of an earlier one.
    """
    items = (part for j in joins for part in (j.name, j.join.nonce, j.join.session_key))
    fixed = (terms.roster.hash, terms.scenario_digest, terms.attempt)
    return digest("collude/v1/session", *fixed, *items)


def join_items(name: str, join: Join) -> tuple[bytes | str | int, ...]:
    """Return what a join's signature covers, after `JOIN_TAG`."""
    return (
        name,
        join.roster_hash,
        join.scenario_digest,
        join.width,
        join.anchor_rows,
        join.nonce,
        join.session_key,
        join.attempt,
    )


def require_same(party: str, field: str, mine: object, theirs: object) -> None:
    """Return if `party` runs the same terms; `field` names which.

    Raises:
        RosterMismatch: it runs others; both values are named.
    """
    if mine != theirs:
        raise RosterMismatch(
            f"runs with another {field.replace('_', ' ')}",
            party=party,
            field=field,
            expected=_shown(mine),
            got=_shown(theirs),
            hint="All parties must use the same scenario and the same roster.",
        )


def _shown(value: object) -> object:
    return value.hex() if isinstance(value, bytes) else value
