"""Who knows A gains nothing from the other participants' anchors: nothing beats Procrustes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from collude.attacker.attacks.material import anchor_pair
from collude.common.geometry import polar_factor, rotation_error
from collude.common.geometry.arrays import FloatArray
from collude.common.ids import participant_name
from tools.findings.field import Field, Noise, deploy
from tools.findings.rows import Row, Study, over_seeds

LEVELS = (0.3, 0.5, 0.8)
WIDTH, PARTICIPANTS, SEEDS, TARGET = 100, 10, 10, 1
WEIGHTS = (1.0, 10.0)
MEASURE, EXCESS = "rotation error", "rotation error above Procrustes' on the same draw"


@dataclass(frozen=True, eq=False)
class Pool:
    """All centred anchors, A, the alignment's rotations, and the colluder's own secret."""

    anchor: FloatArray
    uploaded: list[FloatArray]
    rotations: list[FloatArray]
    colluder: FloatArray

    @property
    def own(self) -> FloatArray:
        """M of the target, the statistic that Procrustes uses, (d, d)."""
        return self.anchor.T @ self.uploaded[TARGET]


def _procrustes(pool: Pool) -> FloatArray:
    return polar_factor(pool.own)


def _alignment_map(pool: Pool) -> FloatArray:
    return polar_factor(pool.colluder @ pool.rotations[0] @ pool.rotations[TARGET].T)


def _gauge(pool: Pool) -> FloatArray:
    """The alignment's common space, turned onto A by all anchors at once."""
    common = np.mean([B @ R for B, R in zip(pool.uploaded, pool.rotations, strict=True)], axis=0)
    return polar_factor(pool.anchor.T @ common) @ pool.rotations[TARGET].T


def _both(pool: Pool) -> FloatArray:
    return polar_factor(_procrustes(pool) + _alignment_map(pool))


def _augmented(weight: float) -> Callable[[Pool], FloatArray]:
    """Alternate over all participants' rotations with A as one more block of this weight."""

    def estimate(pool: Pool) -> FloatArray:
        turned = [polar_factor(B.T @ pool.anchor) for B in pool.uploaded]
        for _ in range(30):
            common = weight * pool.anchor
            common = common + sum(B @ R for B, R in zip(pool.uploaded, turned, strict=True))
            turned = [polar_factor(B.T @ common) for B in pool.uploaded]
        return turned[TARGET].T

    return estimate


ESTIMATORS: Mapping[str, Callable[[Pool], FloatArray]] = {
    "Procrustes": _procrustes,
    "alignment map": _alignment_map,
    "gauge from all": _gauge,
    "Procrustes + map": _both,
    **{f"A as a block, weight {w:g}": _augmented(w) for w in WEIGHTS},
}


def study() -> Study:
    """Return the target's rotation error by each estimator, on the same draws."""
    rows: list[Row] = []
    for s in LEVELS:
        found = [_errors(s, seed) for seed in range(SEEDS)]
        for name in ESTIMATORS:
            errors = [errors[name] for errors in found]
            rows.append(over_seeds(MEASURE, name, s, errors))
            excess = [error - one["Procrustes"] for error, one in zip(errors, found, strict=True)]
            rows.append(over_seeds(EXCESS, name, s, excess))
    settings = {"d": WIDTH, "r": WIDTH + 1, "participants": PARTICIPANTS, "seeds": SEEDS}
    return Study("pooling", "s = v sqrt(d)", settings, rows)


def _errors(s: float, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    shares = [rng.standard_normal((2, WIDTH)) for _ in range(PARTICIPANTS)]
    field = deploy(shares, WIDTH + 1, Noise(anchor=s / WIDTH**0.5), rng)
    pool, truth = _pool(field), field.secrets[TARGET].rotation
    return {name: rotation_error(made(pool), truth) for name, made in ESTIMATORS.items()}


def _pool(field: Field) -> Pool:
    pairs = [anchor_pair(field.view, participant_name(i)) for i in range(PARTICIPANTS)]
    return Pool(
        pairs[0].anchor,
        [pair.uploaded for pair in pairs],
        list(field.alignment().rotations),
        field.secrets[0].rotation,
    )
