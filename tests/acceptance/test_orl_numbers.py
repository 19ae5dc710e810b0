"""Real faces: the attack of the paper shows noise where the centred attack shows the person."""

import json
import subprocess
import sys

import pytest
from testkit.command import ROOT

SEEDS = 5
EXPECTED = {
    ("procrustes", 0.4): 1.05,
    ("centred-procrustes", 0.4): 0.23,
    ("procrustes", 0.8): 4.2,
    ("centred-procrustes", 0.8): 0.47,
}


@pytest.fixture(scope="module")
def found():
    """Return rows by attack and s: d = 200, r = 201, participant-1 under attack, five seeds."""
    command = [sys.executable, "-m", "tools.findings", "centring-small", "--json"]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["settings"] == {"data": "orl-faces", "d": 200, "r": 201, "seeds": SEEDS}
    return {(row["series"], row["x"]): row for row in document["rows"]}


@pytest.mark.parametrize("case", EXPECTED)
def test_errors_are_those_that_were_announced(found, case) -> None:
    row = found[case]
    assert row["mean"] == pytest.approx(EXPECTED[case], rel=0.2)
    assert row["n"] == SEEDS
    half = row["mean"] - row["low"]
    assert 0 < half < 0.25 * row["mean"]
    assert row["high"] - row["mean"] == pytest.approx(half, abs=1e-5)


def test_moments_bring_more_than_centring_at_high_noise(found) -> None:
    assert found["moment-map", 0.8]["high"] < found["centred-procrustes", 0.8]["low"]


@pytest.mark.parametrize("s", [0.4, 0.8])
def test_centring_beats_the_papers_attack_beyond_all_intervals(found, s) -> None:
    assert found["centred-procrustes", s]["high"] < found["procrustes", s]["low"]
