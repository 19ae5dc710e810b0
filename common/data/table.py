"""A user's own feature table: one row a record, a column that says at which site it lies.

    party,person,label,age,weight,...
    north,1017,yes,54,71.5,...

csv (with a header), npz (one array a column, none of Python objects) or parquet. `party` says
which participant holds a row: sites in alphabetical order become participant-0, participant-1,
... `label` (or the column that `data.label` names) is what is learnt, numbers or text. `person`,
if it is there, is no feature. All other columns are features and must be numbers: a rotation of
values that are missing, or of words, means nothing, so nothing is guessed.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collude.common.data.dataset import Dataset
from collude.common.data.table_files import COLUMNS
from collude.common.errors import DataInvalid, ScenarioInvalid
from collude.common.scenario.sections import Data

PARTY, PERSON, LABEL = "party", "person", "label"
_SHOWN = 5
"""Most names or rows that an error lists."""


def load_table(settings: Data) -> Dataset:
    """Return the table at `data.path`: (n, d) features, labels 0 to k - 1, a site for each row.

    Raises:
        ScenarioInvalid: no path, an unknown kind of file, or another number of sites than
            participants.
        DataUnavailable: there is no such file.
        ExtraMissing: reading parquet needs pyarrow.
        DataInvalid: a column is missing, a feature is no number, or a value is missing.
    """
    path = _path(settings)
    columns = COLUMNS[path.suffix.lower()](path)
    label = settings.label or LABEL
    for name in (PARTY, label):
        if name not in columns:
            raise DataInvalid(
                f"{path.name} has no column {name!r}",
                field=name,
                expected=f"columns {PARTY}, {label} and at least one feature",
                got=_listed(columns),
            )
    features = [name for name in columns if name not in {PARTY, PERSON, label}]
    if not features:
        raise DataInvalid(f"{path.name} has no feature", field="columns", got=_listed(columns))
    records = np.column_stack([_numbers(name, columns[name]) for name in features])
    names, sites = np.unique(_present(PARTY, columns[PARTY]), return_inverse=True)
    if len(names) != settings.participants:
        raise ScenarioInvalid(
            "the table has another number of sites than the scenario has participants",
            field="data.participants",
            expected=f"{len(names)}: {_listed(names.tolist())}",
            got=settings.participants,
        )
    kinds, labels = np.unique(_present(label, columns[label]), return_inverse=True)
    return Dataset(
        name="table",
        records=records,
        labels=labels.astype(np.int64),
        credit=f"{path.name}: {len(records)} rows, {len(features)} features",
        sites=sites.astype(np.int64),
        label_note=f"{label}: " + ", ".join(f"{i} is {kind}" for i, kind in enumerate(kinds)),
    )


def _path(settings: Data) -> Path:
    if settings.path is None:
        raise ScenarioInvalid(
            "the data set 'table' needs a file", field="data.path", expected="a path"
        )
    path = Path(settings.path)
    if path.suffix.lower() not in COLUMNS:
        raise ScenarioInvalid(
            "this kind of file is not read",
            field="data.path",
            expected=" or ".join(COLUMNS),
            got=path.name,
        )
    return path


def _listed(names: Any) -> str:
    known = [str(name) for name in names]
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return ", ".join(known[:_SHOWN]) + more


def _numbers(name: str, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return a feature column as float64.

    Raises:
        DataInvalid: a value is missing, or is no number.
    """
    present = _present(name, values)
    try:
        return present.astype(np.float64)
    except ValueError:
        words = [value for value in present.tolist() if not _is_number(value)]
        raise DataInvalid(
            "a feature holds text",
            field=name,
            expected="numbers",
            got=f"{_listed(dict.fromkeys(words))} ({len(words)} of {len(present)} rows)",
            hint="Encode categories as columns of 0 and 1, or leave the column out.",
        ) from None


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _present(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return a column in which no value is missing; text as text.

    Raises:
        DataInvalid: values are missing; how many and where is said.
    """
    if values.dtype.kind in "fiub":
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
    else:
        values = np.array(["" if value is None else str(value).strip() for value in values])
        missing = np.isin(np.char.lower(values), ["", "na", "nan", "null"])
    if missing.any():
        rows = (np.flatnonzero(missing) + 1).tolist()
        raise DataInvalid(
            "values are missing",
            field=name,
            expected="a value in every row",
            got=f"{len(rows)} of {len(values)} missing, rows {_listed(rows)}",
            hint="Fill them in or leave the rows out: no value is guessed for you.",
        )
    return values
