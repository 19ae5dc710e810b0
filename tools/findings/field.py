"""Uploads from geometry alone, without the protocol: what a coalition of one colluder sees."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collude.attacker.attacks import Reconstruction, registry
from collude.attacker.view import CollusionView, Disclosure, Parameters, Public, UploadView
from collude.common.data import Dataset
from collude.common.data.dataset import People
from collude.common.geometry import RigidTransform, centered_orthonormal_anchor
from collude.common.geometry.alignment import Alignment, align_spectral
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.rigid import random_rigid_transform
from collude.common.ids import participant_name


@dataclass(frozen=True)
class Noise:
    """Where the noise is and how large: v on the anchor or sigma on the records, not both.

    Attributes:
        anchor: v, entrywise.
        private: sigma, entrywise.
    """

    anchor: float = 0.0
    private: float = 0.0

    @property
    def method(self) -> str:
        """The method that has such noise."""
        return "aa-gdp-noise" if self.private else "naa-gdp"


@dataclass(frozen=True, eq=False)
class Field:
    """One deployment of p participants; the first colludes.

    Attributes:
        view: of the analyst and the colluder.
        secrets: (O_i, psi_i), in the participants' order.
    """

    view: CollusionView
    secrets: Sequence[RigidTransform]

    def attack(self, name: str, target: int, rng: np.random.Generator) -> Reconstruction:
        """Return what a registered attack makes of participant `target`."""
        return registry()[name].reconstruct(self.view, participant_name(target), rng)

    def alignment(self) -> Alignment:
        """Return the analyst's spectral alignment."""
        anchors = [u.anchor for u in self.view.uploads.values() if u.anchor is not None]
        return align_spectral(anchors)


def people_of(dataset: Dataset) -> People:
    """Return who is on a data set's records.

    Raises:
        ValueError: the data set does not know.
    """
    if dataset.people is None:
        raise ValueError(f"{dataset.name} knows no people")
    return dataset.people


def deploy(
    shares: Sequence[FloatArray],
    rows: int,
    noise: Noise,
    rng: np.random.Generator,
    public: FloatArray | None = None,
) -> Field:
    """Return a deployment with fresh secrets, anchor and noise.

    Args:
        shares: X_i, shape (n_i, d).
        rows: r of the anchor.
        noise: of the method.
        rng: draws all of it.
        public: public records that the coalition holds, (m, d).
    """
    d = shares[0].shape[1]
    A = centered_orthonormal_anchor(rows, d, rng)
    secrets = [random_rigid_transform(d, rng) for _ in shares]
    labels = [np.zeros(len(X), dtype=np.int64) for X in shares]
    uploads = {
        participant_name(i): UploadView(
            secret.apply(X) + noise.private * rng.standard_normal(X.shape),
            secret.apply(A) + noise.anchor * rng.standard_normal(A.shape),
            labels[i],
        )
        for i, (X, secret) in enumerate(zip(shares, secrets, strict=True))
    }
    view = CollusionView(
        uploads=uploads,
        disclosures={participant_name(0): Disclosure(shares[0], secrets[0], A)},
        parameters=Parameters(noise.method, d, rows, noise.anchor, noise.private),
        public=Public(None, public),
    )
    return Field(view, secrets)
