"""The join, coordinator's side: show every silo the joins of all that came."""

from collections.abc import Sequence
from typing import cast

from collude.codef.coordinator.c1_key import KeyStage, Opened
from collude.codef.coordinator.stage import Closed, Letter
from collude.codef.period import PeriodTerms
from collude.codef.period.join import check_join
from collude.common.ids import Round
from collude.common.protocol import codef_messages as m
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.signing import SigningKey


class JoinStage:
    """Waiting for every silo's join."""

    round = Round.CODEF_JOIN
    session = b""

    def __init__(self, terms: PeriodTerms, signing_key: SigningKey) -> None:
        """Wait for all silos of the roster."""
        self._terms, self._key = terms, signing_key
        self.eligible = terms.silos
        self.least = terms.least
        self._joins: dict[str, m.CodefJoin] = {}

    def take(self, sender: str, message: AnyMessage) -> None:
        """Check that the silo runs the same terms, and signed it.

        Raises:
            RosterMismatch: it runs others.
            IdentityRefused: the signature is not the sender's.
        """
        join = cast(m.CodefJoin, message)
        check_join(self._terms, sender, join)
        self._joins[sender] = join

    def close(self, came: Sequence[str]) -> Closed:
        """Show all joins to all that joined."""
        joins = tuple(m.NamedCodefJoin(name, self._joins[name]) for name in came)
        opened = Opened(self._terms, self._terms.session(joins), tuple(came), self._key)
        welcome = m.CodefWelcome(joins)
        letters = [Letter(name, self.round, self.session, welcome) for name in came]
        return Closed(letters, KeyStage(opened))
