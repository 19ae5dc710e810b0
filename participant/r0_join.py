"""Round 0, participant's side: say who I am and what I run; learn who else takes part.

Sends `Join`. Waits for `Welcome`, and goes on only if it holds every participant of the pinned
roster, each signed by its pinned key, and this participant's own join unaltered. The session
id is then a hash that nobody chose.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from collude.common.errors import IdentityRefused, RosterMismatch
from collude.common.ids import ANALYST
from collude.common.protocol.messages import Join, Message, NamedJoin, Welcome
from collude.common.protocol.signing import verify
from collude.common.protocol.terms import JOIN_TAG, join_items, require_same, session_id
from collude.participant.core import Core


@dataclass(frozen=True, slots=True)
class Joined:
    """What is known after the join: the session, and everybody's X25519 key for it."""

    session: bytes
    session_keys: Mapping[str, bytes]
    width: int
    anchor_rows: int


class JoinState:
    """Waiting for `Welcome`."""

    def __init__(self, core: Core, width: int, anchor_rows: int) -> None:
        """Sign the join.

        Args:
            core: this participant.
            width: d, columns of its records.
            anchor_rows: r, or 0 where the method has no anchor.
        """
        self._core = core
        unsigned = Join(
            roster_hash=core.terms.roster.hash,
            scenario_digest=core.terms.scenario_digest,
            width=width,
            anchor_rows=anchor_rows,
            nonce=core.fresh("join-nonce"),
            session_key=core.session_key.public,
            signature=bytes(64),
            attempt=core.terms.attempt,
        )
        signature = core.signing_key.sign(JOIN_TAG, *join_items(core.name, unsigned))
        self._join = replace(unsigned, signature=signature)

    def opening(self) -> Sequence[Message]:
        """Send the join."""
        return [self._join]

    def receive(self, message: Message) -> Joined:
        """Check everybody's join.

        Raises:
            RosterMismatch: somebody is missing, added, or runs other terms.
            IdentityRefused: a join is not signed by its party, or mine was altered.
        """
        joins = cast(Welcome, message).joins
        self._check_names(tuple(j.name for j in joins))
        for named in joins:
            self._check(named)
        return Joined(
            session=session_id(self._core.terms, joins),
            session_keys={j.name: j.join.session_key for j in joins},
            width=self._join.width,
            anchor_rows=self._join.anchor_rows,
        )

    def _check_names(self, names: tuple[str, ...]) -> None:
        expected = self._core.terms.participants
        if names != expected:
            raise RosterMismatch(
                "the session has other participants than were agreed",
                party=ANALYST,
                field="joins",
                expected=", ".join(expected),
                got=", ".join(names),
            )

    def _check(self, named: NamedJoin) -> None:
        join, core = named.join, self._core
        if named.name == core.name and join != self._join:
            raise IdentityRefused(
                "my join came back altered", party=ANALYST, field=f"joins.{core.name}"
            )
        key = core.key_of(named.name)
        verify(key, join.signature, JOIN_TAG, *join_items(named.name, join), party=named.name)
        for field in ("roster_hash", "scenario_digest", "width", "anchor_rows", "attempt"):
            require_same(named.name, field, getattr(self._join, field), getattr(join, field))
