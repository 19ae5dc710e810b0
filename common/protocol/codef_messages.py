"""The messages of CoDef: join, handle key, leases, commitments and ledger heads.

The wire form, with units and encodings, is in `proto/collude/wire/v1/codef.proto`.
"""

from dataclasses import dataclass

from collude.common.protocol.fields import Bytes32, IntVector, Signature
from collude.common.protocol.messages import ArrayMessage, SealedShare


@dataclass(frozen=True, slots=True)
class CodefJoin:
    """codef_join, silo -> coordinator: who I am in this period, and what I run."""

    roster_hash: Bytes32
    scenario_digest: Bytes32
    terms: Bytes32
    period: int
    commitment: Bytes32
    session_key: Bytes32
    nonce: Bytes32
    signature: Signature


@dataclass(frozen=True, slots=True)
class NamedCodefJoin:
    """One silo's join, as the coordinator passes it on."""

    name: str
    join: CodefJoin


@dataclass(frozen=True, slots=True)
class CodefWelcome:
    """codef_join, coordinator -> silo: the joins that came in time, sorted by name."""

    joins: tuple[NamedCodefJoin, ...]


@dataclass(frozen=True, slots=True)
class KeyReveal:
    """codef_key, silo -> coordinator: a share of the handle key for every other silo."""

    envelopes: tuple[SealedShare, ...]


@dataclass(frozen=True, slots=True)
class KeyReveals:
    """codef_key, coordinator -> silo: the envelopes addressed to it, by sender."""

    envelopes: tuple[SealedShare, ...]


@dataclass(frozen=True, slots=True)
class KeyConfirm:
    """codef_confirm, silo -> coordinator: which key this silo holds, as a hash."""

    contributors: tuple[str, ...]
    key_hash: Bytes32
    signature: Signature


@dataclass(frozen=True, slots=True)
class NamedKeyConfirm:
    """One silo's confirmation, as the coordinator passes it on."""

    name: str
    confirm: KeyConfirm


@dataclass(frozen=True, slots=True)
class KeyConfirms:
    """codef_confirm, coordinator -> silo: all confirmations, sorted by name."""

    confirms: tuple[NamedKeyConfirm, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Adapt(ArrayMessage):
    """codef_adapt, coordinator -> silo: its lease of the next epoch, (n,) levels and slots.

    A level is an index into the terms' levels, -1 to withhold. Counts never travel.
    """

    epoch: int
    levels: IntVector
    slots: IntVector
    counted: tuple[str, ...]
    last: bool


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """codef_commit, silo -> coordinator: a ledger entry, but for session and name."""

    commitment: Bytes32
    releases: Bytes32
    pedersen: bytes
    signature: Signature


@dataclass(frozen=True, slots=True)
class NamedCommitEntry:
    """One silo's entry, as the coordinator passes it on."""

    name: str
    entry: CommitEntry


@dataclass(frozen=True, slots=True)
class CommittedPhase:
    """codef_commit, coordinator -> silo: the closed phase, entries sorted by name."""

    epoch: int
    previous: Bytes32
    entries: tuple[NamedCommitEntry, ...]


@dataclass(frozen=True, slots=True)
class LedgerHead:
    """codef_head, silo -> coordinator: the head of its replica, signed."""

    length: int
    hash: Bytes32
    signature: Signature


@dataclass(frozen=True, slots=True)
class NamedHead:
    """One party's head, as the coordinator passes it on."""

    name: str
    head: LedgerHead


@dataclass(frozen=True, slots=True)
class LedgerHeads:
    """codef_head, coordinator -> silo: all heads, the coordinator's own too, sorted by name."""

    heads: tuple[NamedHead, ...]


CodefMessage = (
    CodefJoin
    | CodefWelcome
    | KeyReveal
    | KeyReveals
    | KeyConfirm
    | KeyConfirms
    | Adapt
    | CommitEntry
    | CommittedPhase
    | LedgerHead
    | LedgerHeads
)
