"""The hash chain: whole phases are appended, or nothing is.

The coordinator closes a phase, sorts its entries by name and appends them; every silo appends the
same phase to its own replica, and checks everything again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from collude.codef.ledger.entries import HASH_BYTES, SIGN_TAG, Entry, chained
from collude.codef.ledger.sessions import commit_session, genesis
from collude.common.errors import IdentityRefused, LedgerRejected
from collude.common.ids import COORDINATOR
from collude.common.protocol.signing import verify
from collude.common.roster import Roster


@dataclass(frozen=True, slots=True)
class Phase:
    """A closed phase, as it travels to every replica.

    Attributes:
        epoch: from 0; each later phase has a greater one.
        terms: hash of the terms of the epoch's aggregation, 32 bytes.
        previous: head of the ledger before it.
        entries: sorted by silo, one each.
    """

    epoch: int
    terms: bytes
    previous: bytes
    entries: tuple[Entry, ...]


def _reject(
    reason: str,
    *,
    party: str = COORDINATOR,
    field: str,
    expected: object = None,
    got: object = None,
) -> NoReturn:
    raise LedgerRejected(reason, party=party, field=field, expected=expected, got=got)


class Ledger:
    """A replica of the ledger of one roster, for all time or for one budget period."""

    def __init__(self, roster: Roster, period: bytes = b"") -> None:
        """Start empty; `period` is the period's id, or nothing."""
        self.roster = roster
        self.period = period
        self.name = genesis(roster.hash, period)
        self._hashes = [self.name]
        self._phases: list[Phase] = []

    @property
    def head(self) -> bytes:
        """Hash of all entries, 32 bytes."""
        return self._hashes[-1]

    @property
    def length(self) -> int:
        """How many entries there are."""
        return len(self._hashes) - 1

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The closed phases, in order."""
        return tuple(self._phases)

    def hash_at(self, length: int) -> bytes:
        """Return the head that the ledger had at `length`, from 0 to its length now.

        Raises:
            IndexError: it never had that length.
        """
        if not 0 <= length <= self.length:
            raise IndexError(f"the ledger has {self.length} entries, not {length}")
        return self._hashes[length]

    def session(self, epoch: int, terms: bytes) -> bytes:
        """Return sid_commit of a phase that would follow now."""
        return commit_session(self.roster.hash, terms, epoch, self.head)

    def close(self, epoch: int, terms: bytes, entries: Sequence[Entry]) -> Phase:
        """Append what was collected for a phase, in the order of names; return it for the others.

        Raises:
            LedgerRejected: something does not belong there; nothing is appended.
        """
        ordered = tuple(sorted(entries, key=lambda entry: entry.silo))
        phase = Phase(epoch, terms, self.head, ordered)
        self.append(phase)
        return phase

    def append(self, phase: Phase) -> None:
        """Append a closed phase, if every part of it belongs here.

        Raises:
            LedgerRejected: something does not; names whose fault it is; nothing is appended.
        """
        self._check_place(phase)
        session = self.session(phase.epoch, phase.terms)
        for entry in phase.entries:
            check_entry(self.roster, entry, session)
        for entry in phase.entries:
            self._hashes.append(chained(self.head, self.length, entry))
        self._phases.append(phase)

    def _check_place(self, phase: Phase) -> None:
        if phase.previous != self.head:
            said = {"expected": self.head.hex(), "got": phase.previous.hex()}
            _reject("a phase does not follow the head", field="previous", **said)
        least = self._phases[-1].epoch + 1 if self._phases else 0
        if phase.epoch < least:
            said = {"expected": f"{least} or later", "got": str(phase.epoch)}
            _reject("the epoch has been committed to already", field="epoch", **said)
        silos = [entry.silo for entry in phase.entries]
        if not silos or silos != sorted(set(silos)):
            _reject(
                "entries are not one for each silo, in the order of names",
                party=_twice(silos) or COORDINATOR,
                field="entries",
                got=", ".join(silos) or "none",
            )


def check_entry(roster: Roster, entry: Entry, session: bytes) -> None:
    """Return if an entry is one that a silo of the roster made for this phase.

    Raises:
        LedgerRejected: it is not; names the silo.
    """
    silo = entry.silo
    if silo not in roster.participants:
        _reject("an entry of a silo that is not on the roster", party=silo, field="silo")
    if entry.session != session:
        said = {"expected": session.hex(), "got": entry.session.hex()}
        _reject("an entry of another phase", party=silo, field="session", **said)
    for field in ("commitment", "releases"):
        if len(getattr(entry, field)) != HASH_BYTES:
            _reject("a hash of another length", party=silo, field=field, expected=HASH_BYTES)
    if len(entry.pedersen) % HASH_BYTES:
        _reject("commitments of another length", party=silo, field="pedersen")
    try:
        key = roster.keys[silo]
        verify(key, entry.signature, SIGN_TAG, *entry.signed_items(), party=silo)
    except IdentityRefused as error:
        raise LedgerRejected(error.reason, party=silo, field="signature") from error


def _twice(silos: Sequence[str]) -> str | None:
    return next((silo for silo in silos if silos.count(silo) > 1), None)
