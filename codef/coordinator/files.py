"""The coordinator's replica of the ledger on disk, one file a period, for whoever audits it."""

from collections.abc import Sequence
from pathlib import Path

from collude.codef.coordinator.book import PeriodBook
from collude.codef.ledger import ledger_text
from collude.common.atomic import write_atomically


def ledger_path(folder: Path, period: int) -> Path:
    """Return where the ledger of a period stands."""
    return folder / f"ledger-{period}.jsonl"


def write_ledgers(folder: Path, books: Sequence[PeriodBook]) -> None:
    """Write each period's ledger, with every head that a silo or the coordinator signed.

    There are commitments and roots in it, and no count. `tests/independent/ledger_audit.py`
    checks it without any code of ours.
    """
    for book in books:
        text = ledger_text(book.ledger, book.heads)
        write_atomically(ledger_path(folder, book.terms.period), text.encode())
