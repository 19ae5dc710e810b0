"""Lookalike: for each record of the target, the colluder's own record that comes closest.

    x_hat = argmin over x in X_c of ||x - z||,   z from the centred Procrustes attack

The view must hold what that attack needs, and a colluder's records. It fails where nobody of the
target's is like anybody of the colluder's.
"""

import numpy as np

from collude.attacker.attacks import Reconstruction, registry
from collude.attacker.view import CollusionView
from collude.common.errors import AttackImpossible

RECORDS = "records of a colluder"


class Lookalike:
    """The nearest record that the coalition holds itself."""

    name = "lookalike"
    title = "Lookalike"
    source = "this project"

    def missing(self, view: CollusionView) -> tuple[str, ...]:
        """Return what the view lacks, in words; empty if the attack can run."""
        lacking = registry()["centred-procrustes"].missing(view)
        return lacking if _own(view) else (*lacking, RECORDS)

    def reconstruct(
        self, view: CollusionView, target: str, rng: np.random.Generator
    ) -> Reconstruction:
        """Return one of the colluders' records for each row of the target's upload.

        Raises:
            AttackImpossible: the view lacks something, or the target uploaded nothing.
        """
        lacking = self.missing(view)
        if lacking:
            raise AttackImpossible("lookalike cannot run", expected=" and ".join(lacking))
        seen = registry()["centred-procrustes"].reconstruct(view, target, rng).records
        own = np.concatenate(_own(view))
        squared = (own**2).sum(axis=1) - 2.0 * seen @ own.T  # less ||z||^2, the same for all
        return Reconstruction(own[squared.argmin(axis=1)])


def _own(view: CollusionView) -> list[np.ndarray]:
    return [told.records for told in view.disclosures.values() if told.records is not None]
