"""One participant's own records, and the checks they must pass before anything is sent."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import DataInvalid

_NUMBERS = "fiu"
_INTEGERS = "iu"


@dataclass(frozen=True, eq=False, repr=False)
class Share:
    """Private rows of one participant.

    Attributes:
        records: (n, d) float64, n >= 1: what is protected and uploaded.
        labels: (n,) int64.
        test_records: (m, d) float64, m >= 0: never uploaded, used to evaluate the model.
        test_labels: (m,) int64.
        persons: (n,) int64, the person behind each row of `records`, an index from 0 that all
            participants have in common; None where nobody counts.
    """

    records: NDArray[np.float64]
    labels: NDArray[np.int64]
    test_records: NDArray[np.float64]
    test_labels: NDArray[np.int64]
    persons: NDArray[np.int64] | None = None

    @property
    def width(self) -> int:
        """Return d."""
        return int(self.records.shape[1])

    def __repr__(self) -> str:
        """Return the sizes, never the content."""
        return f"Share(rows={len(self.records)}, test rows={len(self.test_records)})"


def check_share(share: Share, party: str) -> Share:
    """Return the share with row-major float64 records and int64 labels, if it can be used.

    Constant columns are fine. Real numbers of any type are converted.

    Raises:
        DataInvalid: records that are not a finite (n, d) table of real numbers with at least
            one row, or labels or persons that are not one integer per row; party and field are
            named.
    """
    records = _checked_records(share.records, party, "records")
    tests = _checked_records(share.test_records, party, "test_records")
    if not len(records):
        raise DataInvalid(
            "there are no records", party=party, field="records", expected="at least one row"
        )
    if tests.shape[1] != records.shape[1]:
        raise DataInvalid(
            "the held-out records have another width",
            party=party,
            field="test_records",
            expected=f"{records.shape[1]} columns",
            got=tests.shape[1],
        )
    return Share(
        records,
        _checked_labels(share.labels, len(records), party, "labels"),
        tests,
        _checked_labels(share.test_labels, len(tests), party, "test_labels"),
        _checked_persons(share.persons, len(records), party),
    )


def _checked_records(values: object, party: str, field: str) -> NDArray[np.float64]:
    table = _as_array(values, party, field, _NUMBERS, "real numbers")
    if table.ndim != 2 or not table.shape[1]:  # noqa: PLR2004 -- a table has two axes
        raise DataInvalid(
            "the records are no table",
            party=party,
            field=field,
            expected="shape (rows, columns)",
            got=table.shape,
        )
    rows = np.ascontiguousarray(table, dtype=np.float64)
    finite = np.isfinite(rows)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise DataInvalid(
            "a record contains a value that is no number",
            party=party,
            field=field,
            expected="finite values",
            got=f"{rows[row, column]} in row {row}, column {column}; {(~finite).sum()} in all",
        )
    return _within_range(rows, party, field)


def _within_range(rows: NDArray[np.float64], party: str, field: str) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        energy = np.vdot(rows, rows)
    if not np.isfinite(energy):
        raise DataInvalid(
            "the records are so large that their squares overflow",
            party=party,
            field=field,
            expected="values below about 1e150",
            hint="Rescale the columns",
        )
    return rows


def _checked_labels(values: object, rows: int, party: str, field: str) -> NDArray[np.int64]:
    labels = _as_array(values, party, field, _INTEGERS, "integers")
    if labels.shape != (rows,):
        raise DataInvalid(
            f"there must be one entry of {field} per record",
            party=party,
            field=field,
            expected=f"shape ({rows},)",
            got=labels.shape,
        )
    if labels.size and int(labels.max()) > np.iinfo(np.int64).max:
        raise DataInvalid(
            "a label does not fit 64 bits", party=party, field=field, got=labels.max()
        )
    return np.ascontiguousarray(labels, dtype=np.int64)


def _checked_persons(values: object, rows: int, party: str) -> NDArray[np.int64] | None:
    if values is None:
        return None
    persons = _checked_labels(values, rows, party, "persons")
    if int(persons.min()) < 0:
        raise DataInvalid(
            "a person has a number below 0",
            party=party,
            field="persons",
            expected="0 or more",
            got=int(persons.min()),
        )
    return persons


def _as_array(values: object, party: str, field: str, kinds: str, expected: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in kinds:
        raise DataInvalid(
            "the values have the wrong type",
            party=party,
            field=field,
            expected=expected,
            got=array.dtype,
        )
    return array


OPTIONAL_NAMES = ("persons",)
ARRAY_NAMES = tuple(field.name for field in fields(Share) if field.name not in OPTIONAL_NAMES)
"""The names of a share's arrays, as they stand in its file."""
