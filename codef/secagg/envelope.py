"""Shares under way: two for one neighbour, which whoever carries them can neither read nor change.

The key comes of both silos' signed keys, and each direction has its own, used for one envelope;
the session and both names are authenticated beside the ciphertext. So an envelope opens only
where, when and from whom it was meant.
"""

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from collude.codef.secagg.messages import ShareEnvelope
from collude.codef.secagg.shamir import SHARE_BYTES, parse_share
from collude.common.encoding import encode
from collude.common.protocol.sealed import SessionKey
from collude.common.randomness import hkdf

_NONCE = bytes(12)  # a key is used for one envelope only
CIPHERTEXT_BYTES = 2 * SHARE_BYTES + 16


def _cipher(session: bytes, shared: bytes, sender: str, recipient: str) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(hkdf(shared, _associated(session, sender, recipient)))


def _associated(session: bytes, sender: str, recipient: str) -> bytes:
    return encode("codef/v1/env", session, sender, recipient)


def seal_shares(
    session: bytes, route: tuple[str, str], keys: tuple[SessionKey, bytes], shares: bytes
) -> ShareEnvelope:
    """Return both shares (64 bytes) sealed for one neighbour.

    Args:
        session: 32 bytes.
        route: sender and recipient.
        keys: the sender's envelope key, and the recipient's public one.
        shares: of the self-mask seed, then of the mask-key seed.

    Raises:
        ValueError: the recipient's key is a low-order point.
    """
    cipher = _cipher(session, keys[0].shared(keys[1]), *route)
    return ShareEnvelope(*route, cipher.encrypt(_NONCE, shares, _associated(session, *route)))


def open_shares(
    session: bytes, route: tuple[str, str], keys: tuple[SessionKey, bytes], sealed: ShareEnvelope
) -> tuple[bytes, bytes]:
    """Return the shares (self mask, mask key) that the sender sealed for this silo.

    Args:
        session: 32 bytes.
        route: sender and recipient as they must be.
        keys: the recipient's envelope key, and the sender's public one.
        sealed: what came.

    Raises:
        ValueError: it was made for another route or altered, or does not hold two shares.
    """
    if (sealed.sender, sealed.recipient) != route:
        raise ValueError("the envelope is addressed otherwise")
    try:
        cipher = _cipher(session, keys[0].shared(keys[1]), *route)
        payload = cipher.decrypt(_NONCE, sealed.ciphertext, _associated(session, *route))
    except InvalidTag as error:
        raise ValueError("the envelope does not open") from error
    shares = payload[:SHARE_BYTES], payload[SHARE_BYTES:]
    for share in shares:
        parse_share(share)
    return shares
