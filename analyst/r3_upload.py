"""Round 3, analyst's side: check each upload, acknowledge it, and keep it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from collude.analyst.r0_join import Opened
from collude.analyst.state import Letters, Step
from collude.analyst.upload_check import check_noise, check_upload
from collude.common.methods import traits_of
from collude.common.protocol.codec import digest_of
from collude.common.protocol.messages import Message, Upload, UploadReceipt
from collude.common.protocol.signed import verify_signed
from collude.common.protocol.terms import Terms


@dataclass(frozen=True, slots=True)
class Collected:
    """All uploads by name, sorted, and the SHA-256 of each as it was received."""

    uploads: Mapping[str, Upload]
    opened: Opened
    digests: Mapping[str, bytes]


class UploadState:
    """Waiting for every upload."""

    def __init__(self, terms: Terms, opened: Opened) -> None:
        """Keep what was agreed."""
        self._terms, self._opened = terms, opened
        self._noise = traits_of(terms.method).counted_noise if terms.counted else None
        self._digests: dict[str, bytes] = {}

    def check(self, sender: str, message: Message) -> Sequence[Message]:
        """Check the upload and answer with a receipt.

        Raises:
            IdentityRefused: it is not signed by the sender's pinned key for this session.
            UploadRejected: it cannot be used.
        """
        upload = cast(Upload, message)
        verify_signed(upload, self._opened.session, sender, self._terms.roster.keys[sender])
        check_upload(sender, upload, self._opened)
        check_noise(sender, upload, self._noise)
        self._digests[sender] = digest_of(upload)
        return [UploadReceipt(self._digests[sender])]

    def complete(self, messages: Letters) -> Step:
        """Keep all uploads."""
        uploads = {name: cast(Upload, upload) for name, upload in messages.items()}
        return Step(Collected(uploads, self._opened, self._digests), {})
