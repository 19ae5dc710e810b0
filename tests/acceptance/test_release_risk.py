"""At a chosen risk of one in ten nobody is named more often, and nearly all safe slots are used.

Every person is a target once per run. The claim is statistical: a run of 500 targets with success
at the limit would pass the limit by more than three standard errors once in 700 runs.
"""

import math

import pytest

from collude.common.scenario import build_scenario
from collude.runtime.runner import Options, run_scenario

SILOS, PERSONS, RISK = 20, 500, 0.1
ATTACKS = {"everybody": "maximum-likelihood", "greedy-adaptive": "greedy-adaptive"}
RUNS = [(41, "everybody"), (42, "everybody"), (43, "greedy-adaptive"), (44, "greedy-adaptive")]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]


def scenario(seed: int, strategy: str):
    return build_scenario({
        "scenario": {"name": "risk", "seed": seed},
        "data": {"source": "persons", "participants": SILOS},
        "collusion": {"attacks": [ATTACKS[strategy]]},
        "codef": {
            "enabled": True, "policies": ["success", "paper"], "persons": PERSONS,
            "max_success": RISK, "epochs": 2, "strategy": strategy,
        },
        "network": {"deadline_s": 10},
    })  # fmt: skip


def check(results):
    success, paper = results["codef"]["policies"]
    error = math.sqrt(RISK * (1 - RISK) / PERSONS)
    (attack,) = success["attacks"]
    assert attack["targets"] == PERSONS
    assert attack["success"] <= RISK + 3 * error
    assert attack["guaranteed"] <= RISK
    assert success["answers"]["per_target"]["least"] >= 0.9 * success["safe_slots"]
    assert success["overshoot"]["persons_over"] == 0
    (exceeding,) = paper["attacks"]
    assert exceeding["success"] > 3 * RISK
    assert exceeding["interval"][0] > RISK
    assert "promises nothing" in paper["guarantee"]
    return attack["success"]


def test_over_four_runs_in_one_process(tmp_path):
    """Two attackers that ask everybody, two that choose whom to ask as answers come."""
    named = [
        check(run_scenario(scenario(*each), Options(tmp_path / f"{each[0]}"))) for each in RUNS
    ]
    together = sum(named) / len(named)
    assert together <= RISK + 3 * math.sqrt(RISK * (1 - RISK) / (PERSONS * len(named)))
    assert together > 5 / PERSONS  # it is an attack: a guess names one in 500


@pytest.mark.processes
def test_over_processes(tmp_path):
    check(run_scenario(scenario(45, "everybody"), Options(tmp_path / "run", runtime="processes")))
