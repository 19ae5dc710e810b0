"""Messages to the analyst that carry their sender's signature over session and content.

A certificate says who may connect, and whoever holds the consortium's CA key can make one; only
the participant can sign. The content is hashed as it lies in memory: no copy of an upload is made.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from collude.common.protocol.codec import digest_of
from collude.common.protocol.messages import UNSIGNED, Evaluation, Upload
from collude.common.protocol.signing import SigningKey, verify

TAGS: Mapping[type, str] = {
    Upload: "collude/v1/upload",
    Evaluation: "collude/v1/evaluation",
}

Content = TypeVar("Content", Upload, Evaluation)


def signed(message: Content, session: bytes, name: str, key: SigningKey) -> Content:
    """Return the message with the signature of `name`, whose key this is.

    Args:
        message: whatever signature it has is replaced.
        session: 32 bytes.
        name: who sends it.
        key: its Ed25519 key.
    """
    signature = key.sign(TAGS[type(message)], session, name, _content(message))
    return replace(message, signature=signature)


def verify_signed(message: Upload | Evaluation, session: bytes, party: str, public: bytes) -> None:
    """Return if `party`, who holds the key `public`, sent this message in this session.

    Raises:
        IdentityRefused: it did not; names the party.
    """
    items = (session, party, _content(message))
    verify(public, message.signature, TAGS[type(message)], *items, party=party)


def _content(message: Upload | Evaluation) -> bytes:
    """Return SHA-256 over the canonical bytes of the message with a signature of zeros."""
    return digest_of(replace(message, signature=UNSIGNED))
