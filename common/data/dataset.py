"""A data set as loaded, and its fingerprint."""

import hashlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from collude.common.scenario.sections import Data


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labelled records, before they are split among participants.

    Attributes:
        name: the name it is registered under.
        records: (n, d) float64.
        labels: (n,) int64.
        credit: where the records come from, for the report.
        synthetic: whether they are made up; reports must say so.
        image_shape: (height, width) if a record is a grey image, row by row; else None.
    """

    name: str
    records: NDArray[np.float64]
    labels: NDArray[np.int64]
    credit: str
    synthetic: bool = False
    image_shape: tuple[int, int] | None = None

    @property
    def width(self) -> int:
        """Return d."""
        return int(self.records.shape[1])

    def fingerprint(self) -> str:
        """Return SHA-256 over the content, in hexadecimal.

        Hashed: the shape as two 8-byte integers, the records as float64 row by row, the labels
        as int64, all little-endian.
        """
        shape = np.asarray(self.records.shape, dtype="<i8")
        parts = (
            shape,
            np.ascontiguousarray(self.records, dtype="<f8"),
            np.ascontiguousarray(self.labels, dtype="<i8"),
        )
        return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


class DatasetSource(Protocol):
    """What an entry point of the group `collude.datasets` must be.

    It reads only what `settings` and its own package name, and raises `DataUnavailable` or
    `ExtraMissing`, saying what is missing, if the records are not there.
    """

    def __call__(self, settings: Data, /) -> Dataset:
        """Return the whole data set."""
        ...
