"""The messages of person releases, between a querier and a silo.

The wire form, with units and encodings, is in `proto/collude/wire/v1/release.proto`.
"""

from dataclasses import dataclass

from collude.common.protocol.codef_messages import CommitEntry
from collude.common.protocol.fields import Bytes32, IntVector, Signature
from collude.common.protocol.messages import ArrayMessage

HANDLE_BYTES = 16
WITHHELD = -1
"""The level of what is not answered."""


@dataclass(frozen=True, slots=True)
class Window:
    """window, silo -> querier: an epoch opens; not open: the period is over.

    The handles of all persons, 16 bytes each in ascending order, come with the first window.
    """

    epoch: int
    open: bool
    handles: bytes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Query(ArrayMessage):
    """query, querier -> silo: q pairs of a handle (16 bytes each) and an attribute (q,).

    `last`: nothing more will be asked of this silo in this epoch.
    """

    epoch: int
    handles: bytes
    attributes: IntVector
    last: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answer(ArrayMessage):
    """answer, silo -> querier: (q,) values and levels in the order of the query.

    A value is a noisy bit, or grid steps of a noisy number; 0 at level -1, which is withheld.
    """

    epoch: int
    values: IntVector
    levels: IntVector
    signature: Signature


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Receipts(ArrayMessage):
    """receipt, silo -> querier: each first-time answer since the last is under the silo's entry.

    In the order in which they were answered: (a,) places, 32 bytes of salt each, and the
    siblings of each, depth times 32 bytes.
    """

    epoch: int
    session: Bytes32
    entry: CommitEntry
    places: IntVector
    salts: bytes
    siblings: bytes


ReleaseMessage = Window | Query | Answer | Receipts
