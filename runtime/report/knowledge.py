"""Who learned what: what each party held at the end, out of the messages it received.

A message of a class below gives its receiver what stands beside it; everything else a party
holds is its own. The coalition has what the analyst received and what colluders disclosed.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType

from collude.common.errors import WireInvalid
from collude.common.ids import ANALYST, participant_name
from collude.common.methods import MethodTraits, traits_of
from collude.common.protocol.codec import decode_message
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.messages import AnchorReveals, Delivery, Upload
from collude.common.transcript import read_parcels
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.words import label_of, listed

COALITION = "coalition"
NOBODY = "no"
ALL = "all"

SECRETS: Mapping[str, str] = MappingProxyType({
    "records": "records X",
    "transform": "secret transform O, ψ",
    "seed": "joint seed",
    "anchor": "anchor A",
    "upload": "upload Y",
    "anchor_upload": "anchor upload B",
    "labels": "labels",
    "model": "trained model",
})
"""What there is to know, in the order of the protocol."""

SHARED: Mapping[str, str] = MappingProxyType({"seed": "yes", "anchor": "yes", "model": "yes"})
"""There is one of these, not one for each participant; and what a cell says then."""
COMMON: Mapping[str, str] = MappingProxyType({**SHARED, "transform": "everybody's"})
"""The same where all participants have one secret transform."""

Known = dict[str, set[str]]
"""Secret -> whose it is."""


@dataclass(frozen=True)
class Row:
    """What one party held; `cells` in the order of `SECRETS`."""

    party: str
    role: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Matrix:
    """Parties by secrets, for one method or for several in which it is the same."""

    methods: str
    rows: tuple[Row, ...]


@dataclass
class _Ledger:
    participants: tuple[str, ...]
    traits: MethodTraits
    known: dict[str, Known] = field(default_factory=dict)

    def give(self, party: str, secret: str, owners: Iterable[str]) -> None:
        self.known.setdefault(party, {}).setdefault(secret, set()).update(owners)

    def cell(self, party: str, secret: str) -> str:
        owners = self.known.get(party, {}).get(secret, set())
        if not owners:
            return NOBODY
        shared = COMMON if self.traits.common_secret else SHARED
        if secret in shared:
            return shared[secret]
        if owners == set(self.participants):
            return ALL
        return "own" if owners == {party} else f"of {listed(tuple(sorted(owners)))}"


def knowledge(runs: Sequence[StoredRun]) -> tuple[Matrix, ...]:
    """Return who learned what in each run, runs in which it is the same together.

    Raises:
        RunDirectoryInvalid: a transcript is damaged.
    """
    together: dict[tuple[Row, ...], list[str]] = {}
    for run in runs:
        rows = _rows(run)
        if rows:
            together.setdefault(rows, []).append(label_of(run.manifest))
    return tuple(Matrix(listed(tuple(labels)), rows) for rows, labels in together.items())


def _rows(run: StoredRun) -> tuple[Row, ...]:
    data = run.manifest.scenario.get("data", {})
    participants = tuple(participant_name(i) for i in range(int(data.get("participants", 0))))
    if not (run.directory.transcripts / f"{ANALYST}.jsonl").is_file():
        return ()
    ledger = _Ledger(participants, traits_of(run.manifest.method))
    for party in participants:
        _own(ledger, party)
    for party in (*participants, ANALYST):
        for parcel in read_parcels(run.directory.transcripts, party):
            with suppress(WireInvalid):  # it was refused in the run as well, and told nothing
                _received(ledger, party, parcel.sender, decode_message(parcel.body, parcel.sender))
    roles = _roles(run, ledger)
    return tuple(
        Row(party, role, tuple(ledger.cell(party, secret) for secret in SECRETS))
        for party, role in roles.items()
    )


def _own(ledger: _Ledger, party: str) -> None:
    for secret in ("records", "labels"):
        ledger.give(party, secret, {party})
    if ledger.traits.uploads and not ledger.traits.common_secret:
        ledger.give(party, "transform", {party})


def _received(ledger: _Ledger, party: str, sender: str, message: AnyMessage) -> None:
    """Note what a message gave to its receiver."""
    if isinstance(message, Upload):
        for receiver in (party, sender):  # who sent it has it too
            ledger.give(receiver, "upload", {sender})
            if message.anchor is not None:
                ledger.give(receiver, "anchor_upload", {sender})
        ledger.give(party, "labels", {sender})
    elif isinstance(message, AnchorReveals):
        # All shares of the joint seed: its own, and those in the envelopes to it.
        ledger.give(party, "seed", ledger.participants)
        made = "transform" if ledger.traits.common_secret else "anchor"
        ledger.give(party, made, ledger.participants)
    elif isinstance(message, Delivery):
        ledger.give(party, "model", {sender})
        ledger.give(sender, "model", {sender})


def _roles(run: StoredRun, ledger: _Ledger) -> dict[str, str]:
    """Return each party with its part, and note what the coalition pools."""
    scores = run.attacks
    colluders = scores.colluders if scores else ()
    roles = {
        party: "colludes" if party in colluders else _target(run, party)
        for party in ledger.participants
    }
    roles[ANALYST] = "colludes" if scores else ""
    if scores:
        _pool(ledger, run, colluders)
        roles[COALITION] = listed((ANALYST, *colluders))
    return roles


def _target(run: StoredRun, party: str) -> str:
    return "target" if run.attacks and run.attacks.target == party else ""


def _pool(ledger: _Ledger, run: StoredRun, colluders: Sequence[str]) -> None:
    for secret, owners in ledger.known.get(ANALYST, {}).items():
        ledger.give(COALITION, secret, owners)
    disclosed = run.manifest.scenario.get("collusion", {}).get("disclose", ())
    for colluder in colluders:
        for secret in disclosed:
            held = ledger.known.get(colluder, {}).get(secret, set())
            if held:
                ledger.give(COALITION, secret, held)
