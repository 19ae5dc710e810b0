"""What an auditor is, and what it may be made from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from collude.common.data.feature_map import FeatureMap
from collude.common.errors import AuditorUnusable
from collude.common.geometry.arrays import FloatArray
from collude.common.scenario.sections import Auditor as Settings


@dataclass(frozen=True, eq=False, repr=False)
class PublicPeople:
    """All that an auditor may be made from: people who take no part.

    Attributes:
        records: (m, d), as the feature map shows them.
        identities: (m,) who is on each.
        features: the public map behind the records, or None for raw ones.
        image_shape: (height, width) if a raw record is a grey picture in [0, 1], row by row.
        protected: identities of the participants' people; none of them may be public.
    """

    records: FloatArray
    identities: NDArray[np.int64]
    features: FeatureMap | None
    image_shape: tuple[int, int] | None
    protected: NDArray[np.int64]

    def __post_init__(self) -> None:
        """Refuse people who are on both sides.

        Raises:
            AuditorUnusable: somebody is both public and protected.
        """
        both = np.intersect1d(self.identities, self.protected)
        if both.size:
            raise AuditorUnusable(
                "the auditor would be trained on people whom it must judge",
                field="auditor",
                expected="public people who are nobody's records",
                got=f"{both.size} identities on both sides",
            )

    def decode(self, records: FloatArray) -> FloatArray:
        """Return (n, D) raw records of (n, d) mapped ones."""
        return records if self.features is None else self.features.decode(records)


class Auditor(Protocol):
    """A frozen map from raw records to vectors whose cosine says how alike two people look."""

    @property
    def name(self) -> str:
        """The key under which it is registered."""
        ...

    @property
    def sha256(self) -> str:
        """The hash of its weights, in hexadecimal: it stands in every result."""
        ...

    @property
    def details(self) -> Mapping[str, float | str]:
        """How it was made, for the report."""
        ...

    def embed(self, images: FloatArray) -> FloatArray:
        """Return (n, e) vectors of (n, D) raw records, for instance pictures row by row.

        Raises:
            AuditorUnusable: it cannot look at records of this width.
        """
        ...


class AuditorMaker(Protocol):
    """What an entry point of the group `collude.auditors` must be."""

    def __call__(self, public: PublicPeople, settings: Settings, /) -> Auditor:
        """Return the auditor, ready and frozen.

        Raises:
            AuditorUnusable: it cannot be made from these people or these settings.
            ExtraMissing: it needs a package that is not installed.
        """
        ...
