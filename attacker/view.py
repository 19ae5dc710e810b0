"""What a coalition holds: the analyst's uploads and what its colluders disclose.

An attack is a function of this view, the target's name and a generator, never of the truth.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from collude.common.geometry.alignment.result import Alignment
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.rigid import RigidTransform


class UploadView(NamedTuple):
    """What one participant sent to the analyst.

    Attributes:
        private: Y, shape (n, d).
        anchor: B, shape (r, d), or None where the method has no anchor.
        labels: shape (n,), sent in clear.
    """

    private: FloatArray
    anchor: FloatArray | None
    labels: NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class Disclosure:
    """What one colluder tells the coalition; None is what it keeps to itself.

    Attributes:
        records: X_c, shape (n_c, d).
        transform: (O_c, psi_c).
        anchor: A, shape (r, d).
        noise: v W_c, shape (r, d): the colluder's own noise on its anchor upload.
    """

    records: FloatArray | None = None
    transform: RigidTransform | None = None
    anchor: FloatArray | None = None
    noise: FloatArray | None = None

    def __repr__(self) -> str:
        """Return what is disclosed, without the content."""
        parts = [name for name, value in vars(self).items() if value is not None]
        return f"Disclosure({', '.join(parts)})"


@dataclass(frozen=True)
class Parameters:
    """What everybody knows about the protocol.

    Attributes:
        method: for instance `naa-gdp`.
        d: width of the records.
        r: rows of the anchor, or None where the method has none.
        anchor_noise: v, entrywise standard deviation.
        private_noise: sigma, entrywise standard deviation. Both are 0 where CoDef sets them for
            each participant: `CollusionView.noise_of` has what holds for one.
    """

    method: str
    d: int
    r: int | None = None
    anchor_noise: float = 0.0
    private_noise: float = 0.0


class Noise(NamedTuple):
    """How much noise is in one upload; entrywise standard deviations.

    Attributes:
        anchor: v.
        private: sigma.
    """

    anchor: float
    private: float


class Public(NamedTuple):
    """What lies open to everybody.

    Attributes:
        feature_map: from pictures to records, or None where records are used as they are.
        records: public records of the same kind, shape (m, d), or None.
    """

    feature_map: object | None = None
    records: FloatArray | None = None


class KnownRecords(NamedTuple):
    """Records of a participant that the coalition happens to know.

    Attributes:
        rows: their row numbers in the upload, from 0, shape (k,).
        records: shape (k, d).
    """

    rows: NDArray[np.int64]
    records: FloatArray


@dataclass(frozen=True, eq=False)
class CollusionView:
    """All that analyst and colluders hold together. Party names are the keys.

    Attributes:
        uploads: party -> (Y, B or None, labels), colluders included.
        disclosures: colluder -> what it discloses; empty when the analyst is alone.
        parameters: method, d, r and the noise levels.
        alignment: the analyst's, in the order of `uploads`, or None.
        public: feature map and public records.
        known: party -> records that are known from elsewhere.
        announced: party -> the noise in its upload, as it said; empty where all have the same.
    """

    uploads: Mapping[str, UploadView] = field(repr=False)
    disclosures: Mapping[str, Disclosure]
    parameters: Parameters
    alignment: Alignment | None = None
    public: Public = field(default=Public(), repr=False)
    known: Mapping[str, KnownRecords] = field(default_factory=dict, repr=False)
    announced: Mapping[str, Noise] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep read-only copies of the mappings: no attack may change what the next one sees."""
        for name in ("uploads", "disclosures", "known", "announced"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def noise_of(self, party: str) -> Noise:
        """Return how much noise is in a participant's upload."""
        common = Noise(self.parameters.anchor_noise, self.parameters.private_noise)
        return self.announced.get(party, common)
