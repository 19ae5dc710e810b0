"""What an attack on person releases is."""

from typing import Protocol

import numpy as np

from collude.attacker.releases.channels import Floats
from collude.attacker.releases.view import ReleaseView


class ReleaseAttack(Protocol):
    """An attack on answers about persons: a function of (view, rng) and of nothing else.

    It may also have a `strategy`: what makes the `Strategy` with which its answers are collected.
    Without one everybody is asked everything.
    """

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

    def missing(self, view: ReleaseView) -> tuple[str, ...]:
        """Return what the view lacks, in words; empty if the attack can run."""
        ...

    def identify(self, view: ReleaseView, rng: np.random.Generator) -> Floats:
        """Return the posterior over persons of every handle.

        Args:
            view: what the querier holds.
            rng: the attack's own random stream.

        Returns:
            Shape (handles, n), rows of sum 1.

        Raises:
            AttackImpossible: the view lacks something.
        """
        ...
