"""What a party must offer to be asked by the attacker: a colluder, and the analyst."""

from typing import Protocol

from collude.common.protocol.messages import AnalystDisclosure, ColluderDisclosure


class Disclosing(Protocol):
    """A party that tells the attacker what it knows, once it knows it."""

    def disclosure(self) -> AnalystDisclosure | ColluderDisclosure | None:
        """Return what is disclosed, or None as long as there is nothing yet."""
