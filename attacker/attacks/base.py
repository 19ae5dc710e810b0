"""What a reconstruction attack is, and what it returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from collude.attacker.view import CollusionView
from collude.common.geometry.arrays import FloatArray


@dataclass(frozen=True, repr=False, eq=False)
class Reconstruction:
    """An attack's estimate of a target's records, and of its secret where it makes one.

    Attributes:
        records: X_hat, shape (n, d), row by row the target's upload.
        rotation: O_hat, shape (d, d), or None.
        translation: psi_hat, shape (d,), or None.
        diagnostics: figures and words for the report; nothing an attack would need again.
    """

    records: FloatArray
    rotation: FloatArray | None = None
    translation: FloatArray | None = None
    diagnostics: Mapping[str, float | str] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the shape without the content."""
        return f"Reconstruction(records={self.records.shape})"


class Attack(Protocol):
    """A reconstruction attack: a function of (view, target, rng) and of nothing else."""

    @property
    def name(self) -> str:
        """The key under which it is registered."""
        ...

    @property
    def title(self) -> str:
        """What a table's header calls it."""
        ...

    @property
    def source(self) -> str:
        """Paper and place, or where it was derived."""
        ...

    def missing(self, view: CollusionView) -> tuple[str, ...]:
        """Return what the view lacks, in words; empty if the attack can run."""
        ...

    def reconstruct(
        self, view: CollusionView, target: str, rng: np.random.Generator
    ) -> Reconstruction:
        """Return an estimate of the records of participant `target`.

        Args:
            view: what the coalition holds.
            target: a party that uploaded.
            rng: the attack's own random stream.

        Raises:
            AttackImpossible: the view lacks something, or the target uploaded nothing.
        """
        ...


class MembershipTest(Protocol):
    """A test of whether known records are in a target's upload."""

    @property
    def name(self) -> str:
        """The key under which it is registered."""
        ...

    @property
    def title(self) -> str:
        """What a table's header calls it."""
        ...

    @property
    def source(self) -> str:
        """Paper and place, or where it was derived."""
        ...

    def missing(self, view: CollusionView) -> tuple[str, ...]:
        """Return what the view lacks, in words; empty if the test can run."""
        ...

    def test(self, view: CollusionView, target: str, records: FloatArray) -> float:
        """Return a score, larger for records that are more likely in the upload.

        Args:
            view: what the coalition holds.
            target: a party that uploaded.
            records: (k, d).

        Raises:
            AttackImpossible: the view lacks something, or the records do not fit.
        """
        ...
