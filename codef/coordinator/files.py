"""The coordinator's replica of the ledger on disk, one file a period, for whoever audits it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from collude.codef.coordinator.book import PeriodBook
from collude.codef.ledger import ledger_text
from collude.common.atomic import PRIVATE, npz_bytes, write_atomically
from collude.common.data.files import read_arrays

SUMS = "disclosable.npz"


def ledger_path(folder: Path, period: int) -> Path:
    """Return where the ledger of a period stands."""
    return folder / f"ledger-{period}.jsonl"


def write_sums(folder: Path, books: Sequence[PeriodBook]) -> None:
    """Write the decoded sums, which are all that the coordinator learns of counts.

    Simulation only: it is what the coordinator could tell a coalition.
    """
    arrays = {f"period_{b.terms.period}": np.array(b.sums, dtype=np.int64) for b in books}
    write_atomically(folder / SUMS, npz_bytes(**arrays), PRIVATE)


def read_sums(folder: Path, period: int) -> NDArray[np.int64]:
    """Return (epochs, n) sums of a period, as `write_sums` wrote them.

    Raises:
        DataUnavailable: there is no such file.
        DataInvalid: it cannot be read, or lacks the period.
    """
    name = f"period_{period}"
    return read_arrays(folder / SUMS, (name,))[name]


def write_ledgers(folder: Path, books: Sequence[PeriodBook]) -> None:
    """Write each period's ledger, with every head that a silo or the coordinator signed.

    There are commitments and roots in it, and no count. `tests/independent/ledger_audit.py`
    checks it without any code of ours.
    """
    for book in books:
        text = ledger_text(book.ledger, book.heads)
        write_atomically(ledger_path(folder, book.terms.period), text.encode())
