"""Every message of representation sharing, one frozen class each, in the order of the rounds.

The wire form, with units and encodings, is in `proto/collude/wire/v1`. Equality compares
arrays by content.
"""

from dataclasses import dataclass, fields

import numpy as np

from collude.common.protocol.fields import (
    Array,
    Bytes32,
    IntMatrix,
    IntVector,
    Matrix,
    Signature,
    Vector,
)

UNSIGNED = bytes(64)
"""Stands for a signature that is not there yet."""


class ArrayMessage:
    """A message with arrays: equal when all its fields are, arrays element by element.

    Its repr shows the shapes alone: a disclosure's content is somebody's secret.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Compare field by field."""
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))  # type: ignore[arg-type]  # every subclass is a dataclass

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash

    def __repr__(self) -> str:
        """Return the fields, of each array its shape."""
        shown = (f"{f.name}={_shown(getattr(self, f.name))}" for f in fields(self))  # type: ignore[arg-type]  # every subclass is a dataclass
        return f"{type(self).__name__}({', '.join(shown)})"


def _shown(value: object) -> str:
    return f"shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)


def _same(left: object, right: object) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right)
    return left is right or (type(left) is type(right) and bool(left == right))


# --- r0_join -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Join:
    """r0, participant -> analyst: who I am in this session, and what I run."""

    roster_hash: Bytes32
    scenario_digest: Bytes32
    width: int
    anchor_rows: int
    nonce: Bytes32
    session_key: Bytes32
    signature: Signature
    attempt: int


@dataclass(frozen=True, slots=True)
class NamedJoin:
    """One participant's join, as the analyst passes it on."""

    name: str
    join: Join


@dataclass(frozen=True, slots=True)
class Welcome:
    """r0, analyst -> participant: all joins, sorted by name."""

    joins: tuple[NamedJoin, ...]


@dataclass(frozen=True, slots=True)
class Restart:
    """r1, analyst -> participant: join again, without those who did not do their part."""

    attempt: int
    left_out: tuple[str, ...]


# --- r1_anchor -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnchorCommit:
    """r1, participant -> analyst: a commitment to this participant's share of the seed."""

    commitment: Bytes32
    signature: Signature


@dataclass(frozen=True, slots=True)
class NamedAnchorCommit:
    """One participant's commitment, as the analyst passes it on."""

    name: str
    commit: AnchorCommit


@dataclass(frozen=True, slots=True)
class AnchorCommits:
    """r1, analyst -> participant: all commitments, sorted by name."""

    commits: tuple[NamedAnchorCommit, ...]


@dataclass(frozen=True, slots=True)
class SealedShare:
    """A share and its nonce, readable by the recipient alone."""

    sender: str
    recipient: str
    counter: int
    ephemeral_key: Bytes32
    ciphertext: bytes


@dataclass(frozen=True, slots=True)
class AnchorReveal:
    """r1, participant -> analyst: one envelope for every other participant, by recipient."""

    envelopes: tuple[SealedShare, ...]


@dataclass(frozen=True, slots=True)
class AnchorReveals:
    """r1, analyst -> participant: the envelopes addressed to it, by sender."""

    envelopes: tuple[SealedShare, ...]


@dataclass(frozen=True, slots=True)
class AnchorConfirm:
    """r1, participant -> analyst: what this participant holds, as hashes."""

    contributors: tuple[str, ...]
    seed_hash: Bytes32
    stream_hash: Bytes32
    signature: Signature


@dataclass(frozen=True, slots=True)
class NamedAnchorConfirm:
    """One participant's confirmation, as the analyst passes it on."""

    name: str
    confirm: AnchorConfirm


@dataclass(frozen=True, slots=True)
class AnchorConfirms:
    """r1, analyst -> participant: all confirmations, sorted by name."""

    confirms: tuple[NamedAnchorConfirm, ...]


# --- r3_upload -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Upload(ArrayMessage):
    """r3, participant -> analyst: Y (n, d), B (r, d) or None, labels (n,) in clear.

    Where CoDef sets the noise of each participant, v and sigma say how much this one added:
    whoever learns from noisy rows needs it, and it tells no more than the lease. Else None.
    """

    private: Matrix
    anchor: Matrix | None
    labels: IntVector
    signature: Signature = UNSIGNED
    anchor_noise: float | None = None
    private_noise: float | None = None


@dataclass(frozen=True, slots=True)
class UploadReceipt:
    """r3, analyst -> participant: the upload was checked and kept."""

    upload_digest: Bytes32


# --- r5_deliver ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NamedArray(ArrayMessage):
    """One array of a model, of one or two dimensions."""

    name: str
    array: Array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AlignmentMap(ArrayMessage):
    """A row t of a participant's upload space goes to (t - mean) rotation + offset."""

    rotation: Matrix
    mean: Vector
    offset: Vector


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Delivery(ArrayMessage):
    """r5, analyst -> participant: the model, and the recipient's own map where there is one."""

    architecture: str
    arrays: tuple[NamedArray, ...]
    alignment: AlignmentMap | None


# --- r6_evaluate ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(ArrayMessage):
    """r6, participant -> analyst: (k,) classes, counts[true, predicted] of the held-out rows.

    The (k, k) counts of the s training seeds stand one below the other: (s k, k).
    """

    classes: IntVector
    counts: IntMatrix
    signature: Signature = UNSIGNED


@dataclass(frozen=True, slots=True)
class Finished:
    """r6, analyst -> participant: the session is over; this many evaluations were pooled."""

    participants: int


# --- any round -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Abort:
    """Any round, either way: the sender refuses what it got, or gives up. Empty: not said."""

    code: str
    reason: str
    party: str
    field: str
    expected: str
    got: str
    hint: str


# --- disclosure, outside the rounds --------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColluderDisclosure(ArrayMessage):
    """Colluder -> attacker: X_c, O_c, psi_c, A and its own anchor noise; None: not disclosed."""

    records: Matrix | None
    rotation: Matrix | None
    translation: Vector | None
    anchor: Matrix | None
    noise: Matrix | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NamedUpload(ArrayMessage):
    """One participant's upload, as the analyst received it; noise levels if it named them."""

    name: str
    private: Matrix
    anchor: Matrix | None
    labels: IntVector
    anchor_noise: float | None = None
    private_noise: float | None = None

    @classmethod
    def of(cls, name: str, upload: Upload) -> "NamedUpload":
        """Return what the attacker is told of an upload: all but the signature."""
        return cls(
            name,
            upload.private,
            upload.anchor,
            upload.labels,
            upload.anchor_noise,
            upload.private_noise,
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnalystDisclosure(ArrayMessage):
    """Analyst -> attacker: every upload, sorted by name, and the public parameters."""

    method: str
    anchor_noise: float
    private_noise: float
    width: int
    anchor_rows: int
    uploads: tuple[NamedUpload, ...]


Message = (
    Join
    | Welcome
    | Restart
    | AnchorCommit
    | AnchorCommits
    | AnchorReveal
    | AnchorReveals
    | AnchorConfirm
    | AnchorConfirms
    | Upload
    | UploadReceipt
    | Delivery
    | Evaluation
    | Finished
    | Abort
    | ColluderDisclosure
    | AnalystDisclosure
)
