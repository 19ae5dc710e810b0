"""On real faces: around the colluder's mean record the same rotation shows the person."""

import numpy as np

from collude.attacker.scoring import reconstruction_error
from collude.common.data import load_dataset
from collude.common.geometry.arrays import FloatArray
from collude.common.scenario import build_scenario
from tools.findings.field import Noise, deploy, people_of
from tools.findings.rows import Row, Study, over_seeds

ATTACKS = ("procrustes", "centred-procrustes", "wiener", "moment-map", "shrunk-centre")
LEVELS = (0.2, 0.4, 0.6, 0.8, 1.0)
WIDTH, PARTICIPANTS, TARGET, SEEDS = 200, 4, 1, 5
MEASURE = "centred squared error"


def study(levels: tuple[float, ...] = LEVELS) -> Study:
    """Return the centred squared error of each attack on participant-1 of orl-faces."""
    shares, public = _faces()
    rows: list[Row] = []
    for s in levels:
        found = np.array([_errors(shares, public, s, seed) for seed in range(SEEDS)])
        rows.extend(
            over_seeds(MEASURE, name, s, found[:, k].tolist()) for k, name in enumerate(ATTACKS)
        )
    settings = {"data": "orl-faces", "d": WIDTH, "r": WIDTH + 1, "seeds": SEEDS}
    return Study("centring", "s = v sqrt(d)", settings, rows)


def _faces() -> tuple[list[FloatArray], FloatArray]:
    """Return each participant's uploaded records, (n, d), and the public ones."""
    scenario = build_scenario({
        "scenario": {"name": "centring", "seed": 0},
        "data": {"source": "orl-faces", "participants": PARTICIPANTS},
        "features": {"kind": "svd", "width": WIDTH},
    })
    dataset = load_dataset(scenario)
    people = people_of(dataset)
    # Five people each, in their order, all but the reserved picture of each: 45 rows.
    return np.split(dataset.records[~people.reserved], PARTICIPANTS), people.public.records


def _errors(shares: list[FloatArray], public: FloatArray, s: float, seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    field = deploy(shares, WIDTH + 1, Noise(anchor=s / WIDTH**0.5), rng, public)
    return [
        reconstruction_error(field.attack(name, TARGET, rng), shares[TARGET])["centred_relative"]
        or 0.0
        for name in ATTACKS
    ]
