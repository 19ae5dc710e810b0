"""Twenty silos as processes over mutual TLS, three policies one after another, five silos killed.

What the coordinator decoded is compared with what the silos really answered, put together again
from what the querier received and from the truth about its handles.
"""

from typing import NamedTuple

import numpy as np
import pytest

from collude.attacker.releases.output import read_releases
from collude.codef.coordinator.files import read_sums
from collude.codef.period.planned import settings_of
from collude.codef.policy import policy_of
from collude.common.ids import ATTACKER, COORDINATOR
from collude.common.protocol.codef_rounds import EPOCH
from collude.common.scenario import build_scenario
from collude.runtime.releases.truth import persons_behind
from collude.runtime.rundir import RunDirectory
from collude.runtime.runner import Options, run_scenario

SILOS, KILLED, PERSONS, EPOCHS = 20, 5, 500, 10
POLICIES = ("paper", "information", "success")
SEED = 20

pytestmark = [pytest.mark.slow, pytest.mark.processes, pytest.mark.timeout(420)]


def scenario():
    """Five silos end at random moments: any round of any epoch of any period but the very last."""
    rng = np.random.default_rng(SEED)
    silos = rng.choice(SILOS, KILLED, replace=False)
    rounds = rng.choice([r.value for r in EPOCH], KILLED)
    visits = rng.integers(1, EPOCHS * len(POLICIES), KILLED)
    crash = {f"participant-{s}": f"{r}:{v}" for s, r, v in zip(silos, rounds, visits, strict=True)}
    return build_scenario({
        "scenario": {"name": "twenty", "seed": SEED},
        "data": {"source": "persons", "participants": SILOS},
        "codef": {
            "enabled": True, "policies": list(POLICIES), "persons": PERSONS, "epochs": EPOCHS,
        },
        "faults": {"crash": crash},
        "network": {"deadline_s": 3},
    })  # fmt: skip


class Ran(NamedTuple):
    """A finished run."""

    run: RunDirectory
    results: dict


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    out = tmp_path_factory.mktemp("twenty") / "run"
    results = run_scenario(scenario(), Options(out, runtime="processes"))
    return Ran(RunDirectory.open(out), results)


def charged(ran: Ran, number: int):
    """(epochs, silos, persons): what each silo's count must be at each commit."""
    period = read_releases(ran.run.party(ATTACKER) / "attacks")[number]
    persons = persons_behind(ran.run, number, period.view.handles)
    policy = policy_of(settings_of(scenario())[number])
    answers = period.view.answers
    counts = np.zeros((EPOCHS, SILOS, PERSONS), dtype=np.int64)
    charge = np.array([policy.charge(level) for level in range(len(policy.levels))])
    where = answers.epoch, answers.silo, persons[answers.handle]
    np.add.at(counts, where, charge[answers.level])
    return counts.cumsum(axis=0), period.view.knowledge.silos


def test_all_three_policies_ran_and_the_killed_were_named(ran):
    codef = ran.results["codef"]
    assert [p["policy"] for p in codef["policies"]] == list(POLICIES)
    assert set(codef["left"]) == set(scenario().faults.crash)
    assert all(len(p["epochs"]) == EPOCHS + 1 for p in codef["policies"])


@pytest.mark.parametrize("number", range(len(POLICIES)), ids=POLICIES)
def test_every_sum_is_that_of_the_silos_counted(ran, number):
    sums = read_sums(ran.run.party(COORDINATOR), number)
    counts, silos = charged(ran, number)
    epochs = ran.results["codef"]["policies"][number]["epochs"][1:]
    assert sums.shape == (EPOCHS, PERSONS)
    for epoch, facts in enumerate(epochs):
        counted = [silos.index(silo) for silo in facts["counted"]]
        assert len(counted) >= scenario().threshold
        assert np.array_equal(sums[epoch], counts[epoch, counted].sum(axis=0)), facts["epoch"]


def test_budgets_hold_under_leases_and_the_paper_s_rule_overshoots(ran):
    paper, information, success = ran.results["codef"]["policies"]
    for leased in (information, success):
        assert leased["overshoot"]["persons_over"] == 0
        assert leased["overshoot"]["spent"]["most"] <= leased["overshoot"]["limit"] + 1e-9
    assert paper["overshoot"]["persons_over"] == PERSONS
    assert paper["overshoot"]["spent"]["least"] > 2 * paper["overshoot"]["limit"]
    assert paper["answers"]["per_target"]["most"] > paper["thresholds"][0]
