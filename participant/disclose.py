"""What a colluding participant brings into a coalition: as much as the scenario says."""

from collections.abc import Collection

from collude.common.protocol.messages import ColluderDisclosure
from collude.participant.silo import Silo


class ColluderDiscloser:
    """Discloses from a silo once it has made its upload."""

    def __init__(self, silo: Silo, fields: Collection[str]) -> None:
        """Keep the silo and what may be disclosed of it."""
        self._silo, self._fields = silo, frozenset(fields)

    def disclosure(self) -> ColluderDisclosure | None:
        """Return what the scenario allows, or None before the upload was made."""
        return self._silo.disclosure(self._fields) if self._silo.has_uploaded else None
