"""Round 3, participant's side: upload, and see that it was kept unaltered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from collude.common.errors import ProtocolViolation
from collude.common.ids import ANALYST
from collude.common.protocol.codec import encode_message, message_digest
from collude.common.protocol.messages import Message, UploadReceipt
from collude.common.protocol.signed import signed
from collude.participant.core import Core
from collude.participant.silo import Silo


@dataclass(frozen=True, slots=True)
class Uploaded:
    """Known after the upload: the analyst has it."""

    session: bytes


class UploadState:
    """Waiting for the receipt."""

    def __init__(self, core: Core, silo: Silo, session: bytes, seed: bytes | None) -> None:
        """Make the upload of the 32-byte joint seed, or of none, and sign it."""
        self._session = session
        self._upload = signed(silo.upload(seed), session, core.name, core.signing_key)
        self._digest = message_digest(encode_message(self._upload))

    def opening(self) -> Sequence[Message]:
        """Send the upload."""
        return [self._upload]

    def receive(self, message: Message) -> Uploaded:
        """Check that the analyst kept what was sent.

        Raises:
            ProtocolViolation: the receipt is for other bytes.
        """
        got = cast(UploadReceipt, message).upload_digest
        if got != self._digest:
            raise ProtocolViolation(
                "the receipt is for another upload",
                party=ANALYST,
                field="upload_digest",
                expected=self._digest.hex(),
                got=got.hex(),
            )
        return Uploaded(self._session)
