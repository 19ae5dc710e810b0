"""An anchor of d + 1 rows dominates one of 4 d: same attack error, better alignment."""

import numpy as np

from collude.common.geometry import pair_error, rotation_error
from tools.findings.field import Noise, deploy
from tools.findings.rows import Row, Study, over_seeds

LEVELS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2)
WIDTH, PARTICIPANTS, SEEDS = 100, 10, 10
ROWS = {"r = d + 1": WIDTH + 1, "r = 4 d": 4 * WIDTH}
ALIGNMENT, ATTACK = "pair error of the alignment", "rotation error of Procrustes"


def study() -> Study:
    """Return both errors for both anchors, at the same secrets' seeds."""
    rows: list[Row] = []
    for s in LEVELS:
        for name, r in ROWS.items():
            found = np.array([_errors(r, s, seed) for seed in range(SEEDS)])
            rows.extend((
                over_seeds(ALIGNMENT, name, s, found[:, 0].tolist()),
                over_seeds(ATTACK, name, s, found[:, 1].tolist()),
            ))
    settings = {"d": WIDTH, "participants": PARTICIPANTS, "seeds": SEEDS}
    return Study("anchor-rows", "s = v sqrt(d)", settings, rows)


def _errors(r: int, s: float, seed: int) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    shares = [rng.standard_normal((2, WIDTH)) for _ in range(PARTICIPANTS)]
    field = deploy(shares, r, Noise(anchor=s / WIDTH**0.5), rng)
    secrets = [secret.rotation for secret in field.secrets]
    aligned = pair_error(secrets, list(field.alignment().rotations))
    guess = field.attack("procrustes", 1, rng).rotation
    return aligned, np.nan if guess is None else rotation_error(guess, secrets[1])
