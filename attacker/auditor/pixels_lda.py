"""The embedded auditor: discriminant analysis of decoded pictures of public people.

Seven in ten public people train it; with the rest shrinkage and dimension are chosen; then it
is frozen. Nothing is downloaded, and no participant's record comes near it.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from collude.attacker.auditor.base import PublicPeople
from collude.attacker.auditor.lda import Scatter
from collude.attacker.auditor.statistics import auc
from collude.common.data.feature_map import FeatureMap, svd_map
from collude.common.errors import AuditorUnusable
from collude.common.geometry.arrays import FloatArray
from collude.common.scenario.sections import Auditor as Settings

NAME = "pixels-lda"
TRAINING_SHARE = 0.7
FEWEST_PEOPLE, A_PAIR = 4, 2
SHRINKAGES = (0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
MOST_DIMENSIONS = 100
MOST_CALIBRATION_ROWS = 600
"""More would be slow and hardly better: the pairs of so many are 180,000."""
OWN_MAP_WIDTH = 400
"""Without a feature map, raw pictures are looked at through their own leading directions."""
_CHUNK = 1000


@dataclass(frozen=True, eq=False, repr=False)
class PixelsLda:
    """A frozen linear map of pictures.

    Attributes:
        floor: darkest value of a public picture; a reconstruction is clipped to it.
        ceiling: the brightest.
        features: the map that pictures are looked at through.
        mean: (d,).
        axes: (d, k).
        details: what was chosen, on how many people.
    """

    floor: float
    ceiling: float
    features: FeatureMap
    mean: FloatArray
    axes: FloatArray
    details: Mapping[str, float | str] = field(default_factory=dict)
    name: str = NAME

    @cached_property
    def sha256(self) -> str:
        """Return the hash over shapes and values of all weights, little-endian float64."""
        state = hashlib.sha256(bytes.fromhex(self.features.fingerprint()))
        for array in (np.array([self.floor, self.ceiling]), self.mean, self.axes):
            state.update(np.asarray(array.shape, dtype="<i8").tobytes())
            state.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
        return state.hexdigest()

    def embed(self, images: FloatArray) -> FloatArray:
        """Return (n, k) vectors of (n, D) pictures.

        Raises:
            AuditorUnusable: the pictures have another width.
        """
        width = self.features.basis.shape[0]
        if images.shape[1] != width:
            raise AuditorUnusable(
                "the auditor was made for other records",
                field="auditor",
                expected=f"{width} columns",
                got=images.shape[1],
            )
        clipped = np.clip(images, self.floor, self.ceiling)
        return (self.features.encode(clipped) - self.mean) @ self.axes


_MADE: dict[str, PixelsLda] = {}
"""One for each public data set that this process has met: a demo makes several runs on one."""


def pixels_lda(public: PublicPeople, _: Settings) -> PixelsLda:
    """Return the auditor of these public people.

    Raises:
        AuditorUnusable: there are too few people, or too few records of each.
    """
    key = _fingerprint(public)
    if key not in _MADE:
        _MADE[key] = _trained(public)
    return _MADE[key]


def _fingerprint(public: PublicPeople) -> str:
    state = hashlib.sha256(public.features.fingerprint().encode() if public.features else b"")
    for array in (public.records, public.identities):
        state.update(np.ascontiguousarray(array).tobytes())
    return state.hexdigest()


def _trained(public: PublicPeople) -> PixelsLda:
    train, calibrate = _divided(public.identities)
    features = public.features or _own_map(public.records[train])
    floor, ceiling = _range(public)
    seen = np.concatenate([
        features.encode(np.clip(images, floor, ceiling)) for images in _pictures(public)
    ])
    scatter = Scatter.of(seen[train], public.identities[train])
    judge = _calibration(seen[calibrate] - scatter.mean, public.identities[calibrate])
    shrinkage, dimensions = max(_candidates(scatter), key=lambda c: judge.auc(scatter, *c))
    return PixelsLda(
        floor=floor,
        ceiling=ceiling,
        features=features,
        mean=scatter.mean,
        axes=scatter.discriminants(shrinkage, dimensions),
        details=MappingProxyType({
            "shrinkage": shrinkage,
            "dimensions": dimensions,
            "people_trained_on": len(scatter.centres),
            "people_calibrated_on": len(np.unique(public.identities[calibrate])),
            "calibration_auc": judge.auc(scatter, shrinkage, dimensions),
        }),
    )


def _divided(identities: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows of the people to train on, and of those to calibrate on: disjoint.

    Raises:
        AuditorUnusable: there are too few people, or too few records of one.
    """
    people, counts = np.unique(identities, return_counts=True)
    trained = int(len(people) * TRAINING_SHARE)
    fewest = min(counts.tolist(), default=0)
    if len(people) < FEWEST_PEOPLE or fewest < A_PAIR:
        raise AuditorUnusable(
            f"there are too few public people to make {NAME} of",
            field="auditor.name",
            expected=f"at least {FEWEST_PEOPLE}, {A_PAIR} records or more of each",
            got=f"{len(people)} people, {fewest} records of one",
        )
    chosen = np.isin(identities, people[:trained])
    return np.flatnonzero(chosen), np.flatnonzero(~chosen)


def _own_map(records: FloatArray) -> FeatureMap:
    return svd_map(records, min(OWN_MAP_WIDTH, *records.shape))


def _pictures(public: PublicPeople) -> Iterator[FloatArray]:
    """Yield the public pictures, some at a time: many large ones do not fit memory at once."""
    for first in range(0, len(public.records), _CHUNK):
        yield public.decode(public.records[first : first + _CHUNK])


def _range(public: PublicPeople) -> tuple[float, float]:
    extremes = [(images.min(), images.max()) for images in _pictures(public)]
    return float(min(low for low, _ in extremes)), float(max(high for _, high in extremes))


def _candidates(scatter: Scatter) -> Iterator[tuple[float, int]]:
    most = min(MOST_DIMENSIONS, len(scatter.centres) - 1, len(scatter.mean))
    dimensions = dict.fromkeys((most, max(1, 3 * most // 4), max(1, most // 2)))
    return product(SHRINKAGES, dimensions)


@dataclass(frozen=True, eq=False, repr=False)
class _Calibration:
    rows: FloatArray
    genuine: NDArray[np.bool_]
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]]

    def auc(self, scatter: Scatter, shrinkage: float, dimensions: int) -> float:
        seen = self.rows @ scatter.discriminants(shrinkage, dimensions)
        lengths = np.linalg.norm(seen, axis=1, keepdims=True)
        seen /= np.maximum(lengths, np.finfo(np.float64).tiny)
        alike = (seen @ seen.T)[self.pairs]
        return auc(alike[self.genuine], alike[~self.genuine])


def _calibration(rows: FloatArray, identities: NDArray[np.int64]) -> _Calibration:
    some = _some(identities)
    pairs = np.triu_indices(len(some), 1)
    owners = identities[some]
    return _Calibration(rows[some], owners[pairs[0]] == owners[pairs[1]], pairs)


def _some(identities: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return equally many rows of each person, `MOST_CALIBRATION_ROWS` in all at most."""
    order = np.argsort(identities, kind="stable")
    _, first, person = np.unique(identities[order], return_index=True, return_inverse=True)
    each = max(2, MOST_CALIBRATION_ROWS // len(first))
    nth = np.arange(len(order)) - first[person]
    return order[(nth < each) & (person * each < MOST_CALIBRATION_ROWS)]
