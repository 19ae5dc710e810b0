"""A participant that knows its own secrets and does with them what it should not."""

from dataclasses import replace

from testkit.federation import core

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

    def commit(self, session: bytes, share: bytes, nonce: bytes | None = None) -> m.AnchorCommit:
        """A signed commitment to another share."""
        made = commitment_to(session, self.name, nonce or self.nonce, share)
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


def flipped(content: bytes, position: int = 0) -> bytes:
    changed = bytearray(content)
    changed[position] ^= 1
    return bytes(changed)
