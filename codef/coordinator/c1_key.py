"""The handle key, coordinator's side: carry envelopes and confirmations. It can open none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from collude.codef.coordinator.book import PeriodBook
from collude.codef.coordinator.c5_adapt import first_lease
from collude.codef.coordinator.stage import Closed, Letter
from collude.codef.period import PeriodTerms
from collude.codef.period.join import check_confirm
from collude.common.errors import PeriodAborted
from collude.common.ids import Round
from collude.common.protocol import codef_messages as m
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.signing import SigningKey


@dataclass(frozen=True, slots=True)
class Opened:
    """Known after the join: the period's id and its silos."""

    terms: PeriodTerms
    session: bytes
    silos: tuple[str, ...]
    signing_key: SigningKey


class KeyStage:
    """Waiting for the envelopes with shares of the key."""

    round = Round.CODEF_KEY

    def __init__(self, opened: Opened) -> None:
        """Wait for all that joined."""
        self._opened = opened
        self.session = opened.session
        self.eligible = opened.silos
        self.least = opened.terms.least
        self._reveals: dict[str, m.KeyReveal] = {}

    def take(self, sender: str, message: AnyMessage) -> None:
        """Check that there is one envelope from the sender for every other silo.

        Raises:
            PeriodAborted: there is not.
        """
        reveal = cast(m.KeyReveal, message)
        got = [(e.sender, e.recipient) for e in reveal.envelopes]
        expected = [(sender, p) for p in self.eligible if p != sender]
        if got != expected:
            raise PeriodAborted(
                "the envelopes are not one for every other silo",
                party=sender,
                field="codef_key/envelopes",
                expected=", ".join(f"{a} to {b}" for a, b in expected),
                got=", ".join(f"{a} to {b}" for a, b in got) or "none",
            )
        self._reveals[sender] = reveal

    def close(self, came: Sequence[str]) -> Closed:
        """Hand every envelope of those that came to its recipient among them."""
        sealed = [e for name in came for e in self._reveals[name].envelopes]
        letters = [
            Letter(
                name,
                self.round,
                self.session,
                m.KeyReveals(tuple(e for e in sealed if e.recipient == name)),
            )
            for name in came
        ]
        opened = Opened(self._opened.terms, self.session, tuple(came), self._opened.signing_key)
        return Closed(letters, ConfirmStage(opened))


class ConfirmStage:
    """Waiting for confirmations that all hold one key."""

    round = Round.CODEF_CONFIRM

    def __init__(self, opened: Opened) -> None:
        """Wait for all that revealed."""
        self._opened = opened
        self.session = opened.session
        self.eligible = opened.silos
        self.least = opened.terms.least
        self._confirms: dict[str, m.KeyConfirm] = {}

    def take(self, sender: str, message: AnyMessage) -> None:
        """Check the signature, and that the key is made of what all were shown.

        Raises:
            IdentityRefused: it is not the sender's.
            PeriodAborted: the key is made of other shares. The others would leave if they saw it.
        """
        confirm = cast(m.KeyConfirm, message)
        if confirm.contributors != self.eligible:
            raise PeriodAborted(
                "says that the key is made of other shares than were shown to it",
                party=sender,
                field="codef_confirm/contributors",
                expected=", ".join(self.eligible),
                got=f"{len(confirm.contributors)} names",
            )
        check_confirm(self._opened.terms, self.session, sender, confirm)
        self._confirms[sender] = confirm

    def close(self, came: Sequence[str]) -> Closed:
        """Show all confirmations to all, and grant the first lease."""
        confirms = tuple(m.NamedKeyConfirm(name, self._confirms[name]) for name in came)
        letters = [Letter(n, self.round, self.session, m.KeyConfirms(confirms)) for n in came]
        opened = self._opened
        silos = tuple(came), opened.silos
        book = PeriodBook(opened.terms, self.session, *silos, opened.signing_key)
        leased = first_lease(book)
        return Closed([*letters, *leased.letters], leased.after)
