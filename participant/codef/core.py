"""What a silo knows before any period: its keys, what it holds, what it used up before."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from collude.codef.period import PeriodTerms
from collude.codef.release import Frozen
from collude.common.protocol.release_messages import Answer, Query
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy


class Responds(Protocol):
    """Answers about persons in one period, and counts what it answered."""

    @property
    def handles(self) -> bytes:
        """The handles of all persons, 16 bytes each, ascending."""

    def lease(self, levels: NDArray[np.int64], slots: NDArray[np.int64]) -> None:
        """Take a new lease, (n,) levels and slots; what is left of the last one is gone."""

    def answer(self, query: Query) -> Answer:
        """Return the signed answer; it is on disk.

        Raises:
            ReleaseRefused: the query cannot be answered as it stands; nothing was charged.
        """

    def freeze(self) -> Frozen:
        """Close the lease, and return what was counted."""


class Uses(Protocol):
    """Remembers sessions over restarts."""

    def use(self, session: bytes, /) -> None:
        """Note a session before anything of it is sent.

        Raises:
            SessionUsed: it was noted before.
        """


class Holdings(Protocol):
    """What a silo holds about persons, and what it has told about them, for all periods."""

    def responder(self, terms: PeriodTerms, session: bytes, key: bytes) -> Responds:
        """Return who answers in this period, under the silos' shared 32-byte handle key."""


@dataclass(frozen=True)
class SiloCore:
    """A silo's fixed knowledge. Its repr shows no secret.

    Attributes:
        name: of the silo.
        signing_key: as the roster pins it.
        entropy: its source of randomness.
        holdings: what it holds about persons.
        used: sessions that it took part in, also before it was restarted.
    """

    name: str
    signing_key: SigningKey
    entropy: Entropy
    holdings: Holdings = field(repr=False)
    used: Uses = field(repr=False)

    def fresh(self, purpose: str, terms: PeriodTerms) -> bytes:
        """Return 32 secret bytes for `purpose` in this period."""
        return self.entropy.secret(f"codef/{purpose}", terms.period)
