"""The ledger as a text: one JSON object a line, everything in hexadecimal, hashes written out.

    {"ledger": "codef/v1", "period": ID OR "", "roster": [[NAME, ROLE, KEY], ...]}
    {"phase": EPOCH, "terms": HASH, "session": ID}
    {"entry": SEQUENCE, "silo": NAME, "commitment": ..., "releases": ..., "pedersen": ...,
     "signature": ..., "hash": HEAD AFTER IT}
    {"head": LENGTH, "hash": HEAD, "signer": NAME, "signature": ...}

Nothing that is written here is believed on reading: all is computed again and compared. A signed
head that differs from the ledger at its length is evidence, and is kept: `find_fork`, `check_head`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any, NoReturn

from collude.codef.ledger.chain import Ledger, Phase
from collude.codef.ledger.entries import Entry
from collude.codef.ledger.heads import SignedHead, check_signed
from collude.codef.ledger.sessions import commit_session
from collude.common.errors import LedgerRejected
from collude.common.roster import Roster

FORMAT = "codef/v1"
_ENTRY = ("commitment", "releases", "pedersen", "signature")
_KEYS: Mapping[str, tuple[str, ...]] = {
    "ledger": ("ledger", "period", "roster"),
    "phase": ("phase", "terms", "session"),
    "entry": ("entry", "silo", *_ENTRY, "hash"),
    "head": ("head", "hash", "signer", "signature"),
}
"""The fields of each kind of line; the first names the kind."""


def ledger_text(ledger: Ledger, heads: Iterable[SignedHead] = ()) -> str:
    """Return a ledger and signed heads of it as text."""
    return "".join(json.dumps(line) + "\n" for line in _lines(ledger, heads))


def _lines(ledger: Ledger, heads: Iterable[SignedHead]) -> Iterator[dict[str, Any]]:
    roster = [[m.name, m.role.value, m.key.hex()] for m in ledger.roster.members]
    yield {"ledger": FORMAT, "period": ledger.period.hex(), "roster": roster}
    sequence = count()
    for phase in ledger.phases:
        session = commit_session(ledger.roster.hash, phase.terms, phase.epoch, phase.previous)
        yield {"phase": phase.epoch, "terms": phase.terms.hex(), "session": session.hex()}
        for entry in phase.entries:
            number = next(sequence)
            parts = {field: getattr(entry, field).hex() for field in _ENTRY}
            after = ledger.hash_at(number + 1).hex()
            yield {"entry": number, "silo": entry.silo, **parts, "hash": after}
    for head in heads:
        signed = {"signer": head.signer, "signature": head.signature.hex()}
        yield {"head": head.length, "hash": head.hash.hex(), **signed}


def read_ledger(text: str, roster: Roster) -> tuple[Ledger, tuple[SignedHead, ...]]:
    """Return the ledger of a text and the signed heads in it, all of it checked again.

    Args:
        text: as `ledger_text` writes it.
        roster: as this party pins it.

    Raises:
        LedgerRejected: a line is not of the form, or says something that is not so.
    """
    lines = list(_parsed(text))
    groups = _grouped(lines)
    try:
        ledger = Ledger(roster, bytes.fromhex(lines[0]["period"] if lines else ""))
        for opening, entries in groups:
            _append(ledger, opening, entries)
        heads = tuple(_head(line, ledger) for line in lines if "head" in line)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise LedgerRejected("a line holds a value of another kind", field="line") from error
    if list(_lines(ledger, heads)) != lines:
        _reject("a line says something else than follows from the others")
    for head in heads:
        check_signed(head, roster, ledger.period)
        if not 0 <= head.length <= ledger.length:
            _reject("somebody signed a head of more entries than stand here", head.length)
    return ledger, heads


def _reject(reason: str, got: object = None) -> NoReturn:
    raise LedgerRejected(reason, field="line", got=got)


def _parsed(text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found = json.loads(line)
        except ValueError:
            _reject("a line is not JSON", f"line {number}")
        if not isinstance(found, dict) or tuple(found) not in _KEYS.values():
            _reject("a line does not have the fields of its kind", f"line {number}")
        yield found


def _grouped(lines: Iterable[dict[str, Any]]) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    groups: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    for line in lines:
        if "phase" in line:
            groups.append((line, []))
        elif "entry" in line:
            if not groups:
                _reject("an entry stands before any phase")
            groups[-1][1].append(line)
    return groups


def _append(ledger: Ledger, opening: dict[str, Any], entries: list[dict[str, Any]]) -> None:
    terms, session = bytes.fromhex(opening["terms"]), bytes.fromhex(opening["session"])
    read = tuple(
        Entry(session, line["silo"], *(bytes.fromhex(line[field]) for field in _ENTRY))
        for line in entries
    )
    ledger.append(Phase(int(opening["phase"]), terms, ledger.head, read))


def _head(line: dict[str, Any], ledger: Ledger) -> SignedHead:
    parts = bytes.fromhex(line["hash"]), line["signer"], bytes.fromhex(line["signature"])
    return SignedHead(ledger.name, int(line["head"]), *parts)
