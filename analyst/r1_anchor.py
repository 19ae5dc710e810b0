"""Round 1, analyst's side: carry commitments, envelopes and confirmations. It can open none.

The analyst checks signatures and shapes only to name a party early; the participants check
everything again and do not rely on it.
"""

from collections.abc import Sequence
from typing import cast

from collude.analyst.r0_join import Opened
from collude.analyst.state import Letters, Step
from collude.common.errors import AnchorAborted
from collude.common.protocol import messages as m
from collude.common.protocol.anchor import COMMIT_TAG, CONFIRM_TAG, confirm_items
from collude.common.protocol.signing import verify
from collude.common.protocol.terms import Terms


class CommitState:
    """Waiting for every commitment."""

    def __init__(self, terms: Terms, opened: Opened) -> None:
        """Keep what is known."""
        self._terms, self._opened = terms, opened

    def check(self, sender: str, message: m.Message) -> Sequence[m.Message]:
        """Check the signature.

        Raises:
            IdentityRefused: it is not the sender's.
        """
        commit = cast(m.AnchorCommit, message)
        items = (self._opened.session, sender, commit.commitment)
        key = self._terms.roster.keys[sender]
        verify(key, commit.signature, COMMIT_TAG, *items, party=sender)
        return []

    def complete(self, messages: Letters) -> Step:
        """Show all commitments to all."""
        commits = tuple(
            m.NamedAnchorCommit(name, cast(m.AnchorCommit, c)) for name, c in messages.items()
        )
        return Step(self._opened, dict.fromkeys(messages, m.AnchorCommits(commits)))


class RevealState:
    """Waiting for every participant's envelopes."""

    def __init__(self, terms: Terms, opened: Opened) -> None:
        """Keep what is known."""
        self._terms, self._opened = terms, opened

    def check(self, sender: str, message: m.Message) -> Sequence[m.Message]:
        """Check that there is one envelope from the sender for every other participant.

        Raises:
            AnchorAborted: there is not.
        """
        envelopes = cast(m.AnchorReveal, message).envelopes
        got = [(e.sender, e.recipient) for e in envelopes]
        expected = [(sender, p) for p in self._terms.participants if p != sender]
        if got != expected:
            raise AnchorAborted(
                "the envelopes are not one for every other participant",
                party=sender,
                field="envelopes",
                expected=", ".join(f"{a} to {b}" for a, b in expected),
                got=", ".join(f"{a} to {b}" for a, b in got) or "none",
            )
        return []

    def complete(self, messages: Letters) -> Step:
        """Hand every envelope to its recipient."""
        sealed = [e for r in messages.values() for e in cast(m.AnchorReveal, r).envelopes]
        letters = {
            name: m.AnchorReveals(tuple(e for e in sealed if e.recipient == name))
            for name in messages
        }
        return Step(self._opened, letters)


class ConfirmState:
    """Waiting for every confirmation."""

    def __init__(self, terms: Terms, opened: Opened) -> None:
        """Keep what is known."""
        self._terms, self._opened = terms, opened

    def check(self, sender: str, message: m.Message) -> Sequence[m.Message]:
        """Check the signature.

        Raises:
            IdentityRefused: it is not the sender's.
        """
        confirm = cast(m.AnchorConfirm, message)
        items = confirm_items(
            self._opened.session,
            sender,
            confirm.contributors,
            confirm.seed_hash,
            confirm.stream_hash,
        )
        key = self._terms.roster.keys[sender]
        verify(key, confirm.signature, CONFIRM_TAG, *items, party=sender)
        return []

    def complete(self, messages: Letters) -> Step:
        """Show all confirmations to all."""
        confirms = tuple(
            m.NamedAnchorConfirm(name, cast(m.AnchorConfirm, c)) for name, c in messages.items()
        )
        return Step(self._opened, dict.fromkeys(messages, m.AnchorConfirms(confirms)))
