"""A data set as loaded, and its fingerprint."""

import hashlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from collude.common.data.feature_map import FeatureMap
from collude.common.scenario.sections import Data


@dataclass(frozen=True, eq=False)
class PublicRecords:
    """Records of people who take no part: for feature map, auditor and priors.

    Attributes:
        records: (m, d) float64, of the same kind as the private ones.
        identities: (m,) int64, none of which is a private one.
    """

    records: NDArray[np.float64]
    identities: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class People:
    """Who is on each record, for data sets that know.

    Attributes:
        identities: (n,) int64.
        reserved: (n,) bool, one record of each identity, kept as the reference that a
            reconstruction is compared with: never uploaded, never in utility data.
        public: records of other people.
    """

    identities: NDArray[np.int64]
    reserved: NDArray[np.bool_]
    public: PublicRecords

    def __post_init__(self) -> None:
        """Refuse a set in which somebody is both public and private.

        Raises:
            ValueError: identities overlap, or an identity has not exactly one reserved record.
        """
        if np.intersect1d(self.identities, self.public.identities).size:
            raise ValueError("an identity is both public and private")
        held, counts = np.unique(self.identities[self.reserved], return_counts=True)
        if not np.array_equal(held, np.unique(self.identities)) or (counts != 1).any():
            raise ValueError("every private identity needs exactly one reserved record")


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
        ink: whether 1 is ink on paper (dark), as in handwriting; in photographs 1 is white.
        people: who is on each record, or None.
        features: the map that the records have gone through, or None for raw ones.
        label_note: what the labels are, where that needs saying (machine-made ones do).
        sites: (n,) int64, which participant holds a record, or None if records are dealt out.
        originals: (n, D) records before the feature map, or None where there is no map.
    """

    name: str
    records: NDArray[np.float64]
    labels: NDArray[np.int64]
    credit: str
    synthetic: bool = False
    image_shape: tuple[int, int] | None = None
    ink: bool = False
    people: People | None = None
    features: FeatureMap | None = None
    label_note: str = ""
    originals: NDArray[np.float64] | None = None
    sites: NDArray[np.int64] | None = None

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
        state = hashlib.sha256(shape.tobytes())
        # No copies: the records may be larger than what is left of memory.
        state.update(np.ascontiguousarray(self.records, dtype="<f8").data)
        state.update(np.ascontiguousarray(self.labels, dtype="<i8").data)
        return state.hexdigest()


class DatasetSource(Protocol):
    """What an entry point of the group `collude.datasets` must be.

    It reads only what `settings` and its own package name, and raises `DataUnavailable` or
    `ExtraMissing`, saying what is missing, if the records are not there.
    """

    def __call__(self, settings: Data, /) -> Dataset:
        """Return the whole data set."""
        ...
