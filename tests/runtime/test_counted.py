"""A run whose noise CoDef sets: its results, its recorded attack, and what stops it."""

import numpy as np
import pytest

from collude.common.data import load_dataset, split
from collude.common.errors import DataInvalid, ReleaseRefused, ScenarioInvalid
from collude.common.scenario import load_scenario
from collude.common.transcript import read_parcels
from collude.runtime.recorded import attack_recorded, recorded_scenario, recorded_view
from collude.runtime.rundir import RunDirectory
from collude.runtime.runner import Options, run_scenario
from collude.runtime.scenarios import __file__ as _here

COUNTED = _here.replace("__init__.py", "counted.toml")


def run_counted(out, *overrides, **options):
    options = {"compare": False, "report": False} | options
    return run_scenario(load_scenario(COUNTED, overrides), Options(out, **options))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("counted") / "run"
    run_counted(out)
    return RunDirectory.open(out)


def test_a_scenario_that_sets_the_noise_too_is_refused(tmp_path):
    with pytest.raises(ScenarioInvalid) as caught:
        run_counted(tmp_path / "run", "mechanism.private_noise=0.5")
    assert caught.value.field == "mechanism.private_noise"


def test_more_records_than_persons_are_refused_before_anything_is_made(tmp_path):
    with pytest.raises(DataInvalid) as caught:
        run_counted(tmp_path / "run", "codef.persons=1349")
    assert (caught.value.field, caught.value.expected) == ("codef.persons", "at least 1350")
    assert not (tmp_path / "run").exists()


def test_a_lease_that_allows_nothing_fails_the_run_by_name(tmp_path):
    """So little that one slot at the smallest level is too much for five silos."""
    with pytest.raises(ReleaseRefused) as caught:
        run_counted(tmp_path / "run", "codef.gamma=0.01", "codef.epsilon_grid=[1.0, 0.5]")
    assert caught.value.party.startswith("participant-")
    assert caught.value.field == "lease"
    status = RunDirectory.open(tmp_path / "run").status()
    assert status.state == "failed"
    assert "lease" in status.detail


def test_the_results_have_levels_and_noise_and_what_is_promised(run):
    found = run.results()["codef"]
    assert (found["policy"], found["heuristic"], found["left"]) == ("information", False, {})
    assert [upload["party"] for upload in found["uploads"]] == [
        f"participant-{i}" for i in range(5)
    ]
    for upload in found["uploads"]:
        assert upload["bound"] <= upload["nats"]
        assert upload["sigma"] == pytest.approx(4.0 / np.sqrt(2 * upload["nats"]), rel=1e-6)
    assert sum(upload["nats"] for upload in found["uploads"]) <= found["nats_in_all"]
    assert found["nats_in_all"] <= 0.9 * np.log(1350)
    assert "nats" in found["guarantee"]
    assert 0 < found["guaranteed_success"] < 1


def test_whose_a_row_is_travels_to_nobody(run):
    """Labels do travel, and the same search finds them."""
    scenario = recorded_scenario(run)
    shares = split(load_dataset(scenario), scenario)
    bodies = {
        party: b"".join(bytes(p.body) for p in read_parcels(run.transcripts, party))
        for party in ("analyst", "coordinator", *shares)
    }
    for share in shares.values():
        assert share.labels.tobytes() in bodies["analyst"]
        assert not any(share.persons[-8:].tobytes() in body for body in bodies.values())


def test_it_can_be_attacked_again_with_the_noise_that_was_announced(run):
    scenario = recorded_scenario(run)
    view = recorded_view(run, scenario, scenario.collusion.colluders)
    sigma = {u["party"]: u["sigma"] for u in run.results()["codef"]["uploads"]}
    assert {name: view.noise_of(name).private for name in view.uploads} == pytest.approx(sigma)
    _, again = attack_recorded(run, None, ["wiener"], None)
    first = {a["name"]: a["centred_relative"] for a in run.results()["attacks"]["attacks"]}
    assert again["attacks"][0]["centred_relative"] == pytest.approx(first["wiener"])


def test_at_this_noise_no_attack_beats_the_average_record(run):
    assert all(a["centred_relative"] > 0.9 for a in run.results()["attacks"]["attacks"])


def test_without_a_bound_the_results_say_so(tmp_path):
    table = "codef.noise_table=[[1.0, 0.05], [0.5, 0.1]]"
    results = run_counted(tmp_path / "run", "mechanism.method=naa-gdp", "codef.policy=paper", table)
    found = results["codef"]
    assert (found["heuristic"], found["nats_in_all"]) == (True, None)
    assert found["guaranteed_success"] is None
    assert "no guarantee" in found["guarantee"]
    assert {upload["anchor_noise"] for upload in found["uploads"]} == {0.05}


def test_baselines_are_measured_without_codef(tmp_path):
    results = run_counted(tmp_path / "run", compare=True)
    assert set(results["utility"]["baselines"]) == {"local", "c-gdp", "i-gdp"}
    assert results["utility"]["value"] < results["utility"]["baselines"]["c-gdp"]["value"]
