"""Reading a table's columns from csv, npz or parquet, without guessing and without objects."""

import csv
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import DataInvalid, DataUnavailable, ExtraMissing

Columns = dict[str, NDArray[Any]]


def _read_csv(path: Path) -> Columns:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    except OSError as error:
        raise _unavailable(path, error) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataInvalid("the file is no csv in UTF-8", field=str(path), got=error) from error
    if len(rows) < 2:  # noqa: PLR2004 -- a header and one row
        raise DataInvalid("the table has no rows", field=str(path), expected="a header and rows")
    header = [name.strip() for name in rows[0]]
    _check_header(path, header)
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != len(header):
            raise DataInvalid(
                "a row has another number of values than the header",
                field=str(path),
                expected=f"{len(header)} values",
                got=f"{len(row)} in row {number}",
            )
    return {name: np.array([row[i] for row in rows[1:]]) for i, name in enumerate(header)}


def _check_header(path: Path, header: list[str]) -> None:
    if len(set(header)) < len(header) or "" in header:
        raise DataInvalid(
            "the header repeats a name or leaves one empty",
            field=str(path),
            expected="a name of its own for each column",
            got=", ".join(header),
        )


def _read_npz(path: Path) -> Columns:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            columns = {name: stored[name] for name in stored.files}
    except OSError as error:
        raise _unavailable(path, error) from error
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise DataInvalid(
            "the file is no npz of plain arrays", field=str(path), got=error
        ) from error
    shapes = {array.shape for array in columns.values()}
    if len(shapes) != 1 or len(next(iter(shapes))) != 1:
        raise DataInvalid(
            "the arrays are no columns of one table",
            field=str(path),
            expected="arrays of one and the same length",
            got=", ".join(f"{name} {array.shape}" for name, array in columns.items()) or "none",
        )
    return columns


def _read_parquet(path: Path) -> Columns:
    try:
        from pyarrow import parquet  # noqa: PLC0415 -- an optional extra
    except ImportError as error:
        raise ExtraMissing(
            "reading parquet needs pyarrow, which is not installed",
            field="data.path",
            hint='Install the extra "parquet": pip install "collude[parquet]"; or use csv or npz.',
        ) from error
    try:
        table = parquet.read_table(path)
    except OSError as error:
        raise _unavailable(path, error) from error
    except ValueError as error:  # pyarrow's own errors are of this class
        raise DataInvalid("the file is no parquet", field=str(path), got=error) from error
    return {name: np.asarray(table.column(name).to_numpy()) for name in table.column_names}


def _unavailable(path: Path, error: OSError) -> DataUnavailable:
    return DataUnavailable(
        "the table cannot be read", field=str(path), got=error.strerror or str(error)
    )


COLUMNS: Mapping[str, Callable[[Path], Columns]] = MappingProxyType({
    ".csv": _read_csv,
    ".npz": _read_npz,
    ".parquet": _read_parquet,
})
"""Suffix -> reader of a file's columns by name."""
