"""A participant that knows its own secrets and does with them what it should not."""

from dataclasses import replace

from testkit.federation import core
from testkit.network import Liar

from collude.common.protocol import messages as m
from collude.common.protocol.anchor import COMMIT_TAG, CONFIRM_TAG, commitment_to, confirm_items
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.sealed import Route, seal
from collude.runtime.federation import Federation


class Insider:
    """One participant's keys and session, for making messages that only it can sign."""

    def __init__(self, fed: Federation, name: str):
        self.fed, self.name = fed, name
        self.core = core(fed, name)
        self.share, self.nonce = self.core.fresh("anchor-share"), self.core.fresh("anchor-nonce")

    def commit(self, session: bytes, share: bytes, nonce: bytes) -> m.AnchorCommit:
        """A signed commitment to another share."""
        made = commitment_to(session, self.name, nonce, share)
        signature = self.core.signing_key.sign(COMMIT_TAG, session, self.name, made)
        return m.AnchorCommit(made, signature)

    def envelope(self, session: bytes, to: str, payload: bytes, route=()) -> m.SealedShare:
        """A well-sealed envelope with another payload, or for another route."""
        made = Route(session, self.fed.roster.hash, self.name, to, 0)
        key = core(self.fed, to).session_key.public
        return seal(payload, replace(made, **dict(route)), key, bytes([77]) * 32)

    def confirm(self, session: bytes, confirm: m.AnchorConfirm, **changes) -> m.AnchorConfirm:
        """A signed confirmation with other content."""
        new = replace(confirm, **changes)
        items = confirm_items(session, self.name, new.contributors, new.seed_hash, new.stream_hash)
        return replace(new, signature=self.core.signing_key.sign(CONFIRM_TAG, *items))

    def sends(self, kind, change):
        """As `rewrite`, but `change` also gets the session that the message belongs to."""

        def sends(old):
            message = decode_message(old.body)
            if not isinstance(message, kind):
                return [old]
            return [replace(old, body=encode_message(change(old.session, message)))]

        return lambda old, _: sends(old)

    def liar(self, commit, payload: bytes) -> Liar:
        """Send `commit(session)` and reveal `payload`; the own session sees what it sent itself."""
        sent = []

        def commits(session, message):
            sent.append(message)
            return commit(session)

        def reveals(session, message):
            to = [sealed.recipient for sealed in message.envelopes]
            return m.AnchorReveal(tuple(self.envelope(session, name, payload) for name in to))

        first, second = self.sends(m.AnchorCommit, commits), self.sends(m.AnchorReveal, reveals)

        def sends(old, message):
            return [new for each in first(old, message) for new in second(each, message)]

        def takes(parcel, message):
            if not isinstance(message, m.AnchorCommits):
                return parcel
            shown = tuple(
                replace(c, commit=sent[0]) if c.name == self.name else c for c in message.commits
            )
            return replace(parcel, body=encode_message(m.AnchorCommits(shown)))

        return Liar(sends, takes)


def flipped(content: bytes, position: int = 0) -> bytes:
    changed = bytearray(content)
    changed[position] ^= 1
    return bytes(changed)
