"""Round 0, analyst's side: collect the joins and pass all of them to everybody."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from collude.analyst.state import Letters, Step
from collude.common.protocol.messages import Join, Message, NamedJoin, Welcome
from collude.common.protocol.signing import verify
from collude.common.protocol.terms import JOIN_TAG, Terms, join_items, require_same, session_id


@dataclass(frozen=True, slots=True)
class Opened:
    """What the analyst knows after the joins."""

    session: bytes
    width: int
    anchor_rows: int


class JoinState:
    """Waiting for every participant's join."""

    def __init__(self, terms: Terms) -> None:
        """Keep the terms."""
        self._terms = terms

    def check(self, sender: str, message: Message) -> Sequence[Message]:
        """Check digests and signature.

        Raises:
            RosterMismatch: the sender runs another roster or scenario; both digests are named.
            IdentityRefused: the join is not signed by the sender's pinned key.
        """
        join = cast(Join, message)
        for field, mine, theirs in (
            ("roster_hash", self._terms.roster.hash, join.roster_hash),
            ("scenario_digest", self._terms.scenario_digest, join.scenario_digest),
            ("attempt", self._terms.attempt, join.attempt),
        ):
            require_same(sender, field, mine, theirs)
        key = self._terms.roster.keys[sender]
        verify(key, join.signature, JOIN_TAG, *join_items(sender, join), party=sender)
        return []

    def complete(self, messages: Letters) -> Step:
        """Welcome everybody.

        Raises:
            RosterMismatch: a participant has another width or number of anchor rows than most.
        """
        joins = tuple(NamedJoin(name, cast(Join, j)) for name, j in messages.items())
        width = _agreed(joins, "width")
        rows = _agreed(joins, "anchor_rows")
        welcome = Welcome(joins)
        facts = Opened(session_id(self._terms, joins), width, rows)
        return Step(facts, dict.fromkeys(messages, welcome))


def _agreed(joins: Sequence[NamedJoin], field: str) -> int:
    counted = Counter(getattr(j.join, field) for j in joins)
    usual: int = counted.most_common(1)[0][0]
    for named in joins:
        require_same(named.name, field, usual, getattr(named.join, field))
    return usual
