"""Whether k known records are in an upload, by their distances: the analyst alone can tell."""

import numpy as np

from collude.attacker.attacks import membership_registry
from collude.common.data import load_dataset
from collude.common.geometry.arrays import FloatArray
from collude.common.ids import participant_name
from collude.common.scenario import build_scenario
from tools.findings.field import Noise, deploy
from tools.findings.rows import Row, Study, share

SIZES = (2, 3, 4, 6)
GROUPS, ROWS, S = 100, 800, 0.8
ALL = "share of groups of which all k records are located"


def study() -> Study:
    """Return how often groups of k records are located: members, and strangers (false matches)."""
    rows: list[Row] = []
    for name, records in (("digits", _digits()), ("drawn faces", _faces())):
        for k in SIZES:
            for who in ("members", "strangers"):
                scores = _scores(records, k, members=who == "members")
                rows.append(share(ALL, f"{name}, {who}", k, scores == 1.0))
    settings = {"rows in the upload": ROWS, "groups": GROUPS, "anchor noise s": S}
    return Study("congruence", "k, known records", settings, rows)


def _scores(records: FloatArray, k: int, *, members: bool) -> FloatArray:
    """Return (GROUPS,) scores of groups that are in participant-1's upload, or are not."""
    rng = np.random.default_rng([k, members])
    mixed = rng.permutation(records)
    uploaded, others = mixed[:ROWS], mixed[ROWS : 2 * ROWS]
    d = records.shape[1]
    field = deploy([others[:2], uploaded], d + 1, Noise(anchor=S / d**0.5), rng)
    test, known = membership_registry()["distance-inference"], uploaded if members else others
    groups = (known[rng.choice(len(known), size=k, replace=False)] for _ in range(GROUPS))
    return np.array([test.test(field.view, participant_name(1), group) for group in groups])


def _digits() -> FloatArray:
    """Return (1797, 64) records of 17 grey levels."""
    return load_dataset(build_scenario({"scenario": {"name": "congruence", "seed": 0}})).records


def _faces() -> FloatArray:
    """Return (1600, 100) records of continuous values."""
    scenario = build_scenario({
        "scenario": {"name": "congruence", "seed": 0},
        "data": {
            "source": "synthetic-faces",
            "participants": 2,
            "people": 40,
            "images_per_person": 20,
        },
        "features": {"kind": "svd", "width": 100},
    })
    return load_dataset(scenario).records
