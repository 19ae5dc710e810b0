"""Anchor and second moments together: the strongest attack here on noisy anchors.

The anchor's noise turns all rows of a target by one and the same wrong rotation, so the rows'
covariance is known exactly up to that rotation. The attack looks for the rotation that fits the
anchor and turns the upload's covariance into the prior's (`moment_solver.py`):

    X_hat = 1 mu^T + (Y - 1 y_bar^T) O_hat^T

The weight of the moments is chosen among a few by attacking the colluder itself: half of its
records, uploaded under a fresh secret and the same noise, with the other records as prior.

The view must hold A, the target's B, and records for the prior. With v = 0 the Procrustes
rotation is exact and is returned. It fails where the target's covariance is not like the prior's.

Source: derived for this project; it uses X_c, M_c, A and the uploads only, as noisy anchor
alignment, Definition II.2, allows.
"""

import numpy as np

from collude.attacker.attacks.base import Reconstruction
from collude.attacker.attacks.material import (
    PRIOR_MEAN,
    anchor_pair,
    missing_for_anchor_pair,
    require,
    upload_of,
)
from collude.attacker.attacks.moment_solver import MAX_STEPS, Problem, solve
from collude.attacker.attacks.prior import Prior, prior_from, prior_of
from collude.attacker.view import CollusionView
from collude.common.errors import AttackImpossible
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.covariance import covariance
from collude.common.geometry.haar import haar_orthogonal, polar_factor

WEIGHTS = (30.0, 100.0, 300.0)
"""Candidates for beta."""
DEFAULT_WEIGHT = 100.0
_TRIAL_STEPS = 8
_TRIAL_ROWS = 8
"""Fewer records of a colluder than this tell nothing about the weight."""


class MomentMap:
    """Procrustes with matched second moments."""

    name = "moment-map"
    title = "Moment map"
    source = "this project: Procrustes with matched second moments"

    def missing(self, view: CollusionView) -> tuple[str, ...]:
        """Return what the view lacks, in words."""
        lacking = missing_for_anchor_pair(view)
        return lacking if prior_of(view) is not None else (*lacking, PRIOR_MEAN)

    def reconstruct(
        self, view: CollusionView, target: str, rng: np.random.Generator
    ) -> Reconstruction:
        """Return X_hat, O_hat and the translation that they imply.

        Raises:
            AttackImpossible: the view lacks A, the target's B, or any records.
        """
        require(self.missing(view), self.name)
        prior = prior_of(view)
        if prior is None:
            raise AttackImpossible("no records to take a prior from", expected=PRIOR_MEAN)
        pair, Y = anchor_pair(view, target), upload_of(view, target).private
        M, noise = pair.anchor.T @ pair.uploaded, view.noise_of(target).anchor
        weight = chosen_weight(view, target, pair.anchor, prior, rng) if noise > 0.0 else 0.0
        rotation, steps = matched_rotation(Y, M, noise, prior, weight)
        y_bar = Y.mean(axis=0)
        records = prior.mean + (Y - y_bar) @ rotation.T
        diagnostics: dict[str, float | str] = {
            "prior": prior.origin,
            "weight": weight,
            "steps": float(steps),
        }
        return Reconstruction(records, rotation, y_bar - prior.mean @ rotation, diagnostics)


def matched_rotation(
    Y: FloatArray,
    M: FloatArray,
    noise: float,
    prior: Prior,
    weight: float,
    steps: int = MAX_STEPS,
) -> tuple[FloatArray, int]:
    """Return O_hat, shape (d, d), and how many steps were taken; Procrustes at no noise."""
    start = polar_factor(M)
    if noise <= 0.0 or weight <= 0.0:
        return start, 0
    spread, V = np.linalg.eigh(covariance(Y))
    Q = prior.basis
    problem = Problem(1.0 / prior.variances, spread, Q.T @ M @ V / noise**2, weight)
    U, taken = solve(problem, Q.T @ start @ V, steps)
    rotation: FloatArray = Q @ U @ V.T
    return rotation, taken


def chosen_weight(
    view: CollusionView,
    target: str,
    anchor: FloatArray,
    prior: Prior,
    rng: np.random.Generator,
) -> float:
    """Return the weight that would have attacked the colluder best; a default without records."""
    own = [d.records for d in view.disclosures.values() if d.records is not None]
    if not own or len(own[0]) < _TRIAL_ROWS:
        return DEFAULT_WEIGHT
    records = rng.permutation(own[0])
    half = len(records) // 2
    trial, rest = records[:half], records[half:]
    known = prior if prior.origin == "public records" else prior_from(
        rest.mean(axis=0), rest, prior.origin
    )  # fmt: skip
    return _best(trial, anchor, view.noise_of(target).anchor, known, rng)


def _best(
    X: FloatArray, anchor: FloatArray, noise: float, prior: Prior, rng: np.random.Generator
) -> float:
    d = X.shape[1]
    secret = haar_orthogonal(d, rng)
    M = anchor.T @ (anchor @ secret + noise * rng.standard_normal(anchor.shape))
    errors = [_trial_error(X, secret, M, noise, prior, weight) for weight in WEIGHTS]
    return WEIGHTS[int(np.argmin(errors))]


def _trial_error(
    X: FloatArray, secret: FloatArray, M: FloatArray, noise: float, prior: Prior, weight: float
) -> float:
    centred = X - X.mean(axis=0)
    rotation, _ = matched_rotation(X @ secret, M, noise, prior, weight, _TRIAL_STEPS)
    return float(np.sum((centred @ secret @ rotation.T - centred) ** 2))
