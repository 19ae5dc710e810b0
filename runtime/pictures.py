"""A few of the target's records as they were before any feature map: what a report shows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collude.common.atomic import PRIVATE, npz_bytes, write_atomically
from collude.common.data import Dataset
from collude.common.data.files import read_arrays
from collude.common.errors import LocalError, RunDirectoryInvalid
from collude.runtime.federation import RecordFederation
from collude.runtime.rundir import TRUTH, RunDirectory

SHOWN = 10
"""Most records that are kept; of data sets that know their people, one of each person."""

_FILE = "pictures.npz"
_ARRAYS = ("rows", "people", "originals")


@dataclass(frozen=True, eq=False, repr=False)
class Pictures:
    """Some of the target's records.

    Attributes:
        rows: (k,) where they stand in the target's upload.
        people: (k,) who is on each; 0 where nobody knows.
        originals: (k, D) before the feature map.
    """

    rows: NDArray[np.int64]
    people: NDArray[np.int64]
    originals: NDArray[np.float64]


def write_pictures(run: RunDirectory, federation: RecordFederation) -> None:
    """Write some of the target's records, where they are pictures. Simulation only."""
    dataset, target = federation.dataset, federation.scenario.target
    if dataset.image_shape is None:
        return
    chosen = pictures_of(dataset, federation.shares[target].records)
    arrays = {name: getattr(chosen, name) for name in _ARRAYS}
    write_atomically(run.root / TRUTH / _FILE, npz_bytes(**arrays), PRIVATE)


def pictures_of(dataset: Dataset, records: NDArray[np.float64]) -> Pictures:
    """Return the first record of each person among (n, d) records of a data set.

    Where a data set does not know its people, the first records.
    """
    originals = dataset.records if dataset.originals is None else dataset.originals
    if dataset.people is None:
        places = _places(dataset, records[:SHOWN])
        return Pictures(np.arange(len(places)), np.zeros_like(places), _rows(originals, places))
    places = _places(dataset, records)
    people = dataset.people.identities[places]
    rows = np.sort(np.unique(people, return_index=True)[1])[:SHOWN].astype(np.int64)
    return Pictures(rows, people[rows], _rows(originals, places[rows]))


def _places(dataset: Dataset, records: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return (n,) the first row of the data set that each record is."""
    return np.array([_place(dataset.records, record) for record in records], dtype=np.int64)


def _place(rows: NDArray[np.float64], record: NDArray[np.float64]) -> int:
    alike = np.flatnonzero(rows[:, 0] == record[0])
    return int(alike[(rows[alike] == record).all(axis=1)][0])


def _rows(table: NDArray[np.float64], places: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(table[places], dtype=np.float64)


def read_pictures(run: RunDirectory, count: int) -> Pictures | None:
    """Return what `write_pictures` wrote of `count` records; None if that is not what is there.

    Truth decides nothing: somebody may have deleted it or put noise in its place.

    Raises:
        RunDirectoryInvalid: the file cannot be read.
    """
    path = run.root / TRUTH / _FILE
    if not path.is_file():
        return None
    try:
        pictures = Pictures(**read_arrays(path, _ARRAYS))
    except LocalError as error:
        raise RunDirectoryInvalid(
            error.reason, field=str(path), expected=error.expected, got=error.got
        ) from error
    return pictures if _fits(pictures, count) else None


def _fits(pictures: Pictures, count: int) -> bool:
    rows = pictures.rows
    alike = rows.shape == pictures.people.shape == pictures.originals.shape[:1]
    return alike and rows.dtype.kind == "i" and bool(((rows >= 0) & (rows < count)).all())
