"""Release runs in one process and over processes: results, files, faults, one transcript."""

import json

import numpy as np
import pytest
from testkit.releases import release

from collude.attacker.releases.assemble import knowledge_in
from collude.attacker.releases.output import read_releases
from collude.attacker.releases.transcripts import view_from_transcripts
from collude.common.errors import (
    AggregationAborted,
    ParameterInvalid,
    PluginUnknown,
    ScenarioInvalid,
)
from collude.common.ids import ATTACKER, COORDINATOR
from collude.common.outcome import read_outcome
from collude.common.transcript import read_parcels
from collude.runtime.federation import prepare_releases
from collude.runtime.releases.truth import persons_behind
from collude.runtime.rundir import RunDirectory
from collude.runtime.runner import Options, run_scenario

TWO = {"policies": ["paper", "success"]}


def played(scenario, out, runtime="inprocess"):
    results = run_scenario(scenario, Options(out, runtime=runtime))
    return RunDirectory.open(out), results


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return played(release(**TWO), tmp_path_factory.mktemp("alone") / "run")


@pytest.mark.parametrize(
    ("scenario", "error", "field"),
    [
        (lambda: release(strategy="no-such"), PluginUnknown, "codef.strategy"),
        (lambda: release('collusion.attacks=["procrustes"]'), ScenarioInvalid, "collusion.attacks"),
        (
            lambda: release('faults.deviator={participant-1="no-such"}'),
            PluginUnknown,
            "collude.deviators",
        ),
        (
            lambda: release('faults.deviator={coordinator="under-reporter"}'),
            ScenarioInvalid,
            "faults.deviator.coordinator",
        ),
        (lambda: release(epsilon=40.0, max_success=0.1), ParameterInvalid, "max_success"),
    ],
)
def test_what_cannot_run_is_refused_before_anything_is_made(tmp_path, scenario, error, field):
    with pytest.raises(error) as caught:
        played(scenario(), tmp_path / "run")
    assert caught.value.field == field
    assert not (tmp_path / "run").exists()


def test_each_policy_has_its_leases_answers_and_attack(alone):
    _, results = alone
    paper, success = results["codef"]["policies"]
    assert [p["policy"] for p in (paper, success)] == TWO["policies"]
    for period in (paper, success):
        assert len(period["epochs"]) == 3  # a lease before each epoch, and the one that ends all
        assert all(sum(e["persons_by_level"].values()) == 12 for e in period["epochs"])
        assert period["epochs"][-1]["persons_by_level"]["withheld"] == 12
        assert all(e["missing"] == [] for e in period["epochs"])
        assert period["guarantee"]
        attack, other = period["attacks"]
        assert [attack["name"], other["name"]] == ["maximum-likelihood", "one-to-one"]
        low, high = attack["interval"]
        assert 0 <= low <= attack["success"] <= high <= 1
        assert period["curve"][0]["answers_per_target"] == 0
        assert period["curve"][-1]["success"] == pytest.approx(attack["success"])
    assert results["codef"]["left"] == {}
    assert results["warnings"] == []


def test_budgets_are_kept_where_there_are_leases_and_the_rest_is_said(alone):
    _, results = alone
    paper, success = results["codef"]["policies"]
    assert success["overshoot"]["unit"] == "answers"
    assert success["overshoot"]["limit"] == success["safe_slots"]
    assert success["overshoot"]["spent"]["most"] <= success["safe_slots"]
    assert success["overshoot"]["persons_over"] == 0
    assert success["answers"]["per_target"]["mean"] * 12 == success["answers"]["answered"]
    # The paper's rule counts only after everybody has answered everything: 4 silos, 2 attributes.
    assert paper["answers"]["per_target"] == {"least": 8.0, "mean": 8.0, "most": 8.0}
    assert paper["overshoot"]["unit"] == "nats"
    assert paper["overshoot"]["limit"] == pytest.approx(0.5 * np.log(12))


def test_nobody_is_told_a_count(alone):
    """The coordinator decodes sums; what it leaves behind holds levels and numbers of persons."""
    run, results = alone
    left = read_outcome(run.party(COORDINATOR))
    allowed = {"policy", "guarantee", "levels", "leased", "silos", "ledger", "epochs"}
    for period in left.result["periods"]:
        assert set(period) == allowed
        for epoch in period["epochs"]:
            assert set(epoch) == {"epoch", "persons_by_level", "counted", "missing"}
    assert json.loads((run.root / "results.json").read_text())["codef"] == results["codef"]


def test_the_querier_s_view_can_be_made_again_of_the_transcripts(alone):
    run, _ = alone
    scenario = release(**TWO)
    federation = prepare_releases(scenario)
    known = knowledge_in(scenario, [p.known for p in federation.populations])
    keys = {name: federation.roster.keys[name] for name in scenario.participants}
    views = view_from_transcripts(run.transcripts, known, keys)
    recorded = read_releases(run.party(ATTACKER) / "attacks")
    assert [p.name for p in recorded] == ["0-paper", "1-success"]
    for view, period in zip(views, recorded, strict=True):
        assert view.handles == period.view.handles
        assert len(view.answers) == len(period.view.answers)
        for name in ("handle", "silo", "attribute", "value", "level"):
            order = [np.lexsort((a.attribute, a.silo, a.handle))
                     for a in (view.answers, period.view.answers)]  # fmt: skip
            assert np.array_equal(
                getattr(view.answers, name)[order[0]],
                getattr(period.view.answers, name)[order[1]],
            )


def test_handles_hide_persons_from_all_but_silos(alone):
    run, _ = alone
    (first, second) = read_releases(run.party(ATTACKER) / "attacks")
    for number, period in enumerate((first, second)):
        truth = persons_behind(run, number, period.view.handles)
        assert sorted(truth) == list(range(12))
        assert not np.array_equal(truth, np.arange(12))
    assert not set(first.view.handles) & set(second.view.handles)
    key_files = [p for p in run.root.rglob("handles.npz") if p.parent.parent.name == "parties"]
    assert {p.parent.name for p in key_files} == {f"participant-{i}" for i in range(4)}


def test_a_silo_keeps_its_answers_and_sessions_for_itself(alone):
    run, _ = alone
    for silo in release(**TWO).participants:
        folder = run.party(silo)
        for name in ("answers.txt", "sessions.txt", "handles.npz"):
            assert (folder / name).stat().st_mode & 0o777 == 0o600
        answered = len((folder / "answers.txt").read_text().splitlines()) - 1
        assert answered > 12 * 2  # all of the first period, and some of the second


def test_a_repetition_gives_the_same_and_another_seed_another(alone, tmp_path):
    _, first = alone
    _, again = played(release(**TWO), tmp_path / "again")
    _, other = played(release("scenario.seed=8", **TWO), tmp_path / "other")
    for name in ("transcript_digest", "results_digest"):
        assert first[name] == again[name] != other[name]


def test_a_scenario_without_attacks_counts_and_asks_nothing(tmp_path):
    run, results = played(release("collusion.attacks=[]"), tmp_path / "run")
    (period,) = results["codef"]["policies"]
    assert period["answers"] is None
    assert period["attacks"] == []
    assert not list(read_parcels(run.transcripts, ATTACKER))


def test_pairs_are_asked_about_their_secrets(tmp_path):
    scenario = release(source="xor-persons", policy="paper", epsilon=4.0, strategy="xor-pair")
    _, results = played(scenario, tmp_path / "run")
    (period,) = results["codef"]["policies"]
    (attack,) = period["attacks"]
    assert attack["name"] == "xor-pair"
    assert attack["answers_per_target"] == 4  # two pairs of silos, two attributes
    assert attack["success"] > 2 / 12


def test_a_silo_that_falls_silent_is_left_out_and_named(tmp_path):
    scenario = release('faults.crash={participant-1="codef_masked_input"}', silos=5, **TWO)
    run, results = played(scenario, tmp_path / "run")
    assert set(results["codef"]["left"]) == {"participant-1"}
    first, second = results["codef"]["policies"]
    assert [e["missing"] for e in first["epochs"]] == [[], *[["participant-1"]] * 2]
    assert all(e["missing"] == ["participant-1"] for e in second["epochs"])
    assert any("went on without participant-1" in w for w in results["warnings"])
    assert read_outcome(run.party("participant-1")) is None
    assert second["overshoot"]["persons_over"] == 0


def test_too_few_silos_end_the_run_and_are_named(tmp_path):
    crash = ", ".join(f'participant-{i}="codef_masked_input"' for i in (1, 2))
    with pytest.raises(AggregationAborted) as caught:
        played(release(f"faults.crash={{{crash}}}"), tmp_path / "run")
    assert caught.value.field == "masked_input/silos"
    assert caught.value.expected == "3 or more"
    assert "participant-0, participant-3" in caught.value.got
    assert RunDirectory.open(tmp_path / "run").status().state == "failed"


def test_a_silo_that_counts_too_little_shows_as_overshoot(tmp_path):
    deviating = release('faults.deviator={participant-1="under-reporter"}', epochs=4)
    _, results = played(deviating, tmp_path / "run")
    (period,) = results["codef"]["policies"]
    assert period["overshoot"]["persons_over"] > 0


@pytest.mark.processes
def test_processes_and_one_process_give_the_same(alone, tmp_path):
    _, here = alone
    run, there = played(release(**TWO), tmp_path / "run", "processes")
    for name in ("transcript_digest", "results_digest"):
        assert here[name] == there[name]
    for name in (*release(**TWO).participants, COORDINATOR, ATTACKER):
        assert read_outcome(run.party(name)).state == "finished"


@pytest.mark.processes
def test_a_process_that_is_killed_is_left_out_as_in_one_process(tmp_path):
    scenario = release('faults.crash={participant-1="codef_head"}', silos=5)
    _, here = played(scenario, tmp_path / "here")
    run, there = played(scenario, tmp_path / "there", "processes")
    assert here["transcript_digest"] == there["transcript_digest"]
    assert set(there["codef"]["left"]) == {"participant-1"}
    assert read_outcome(run.party("participant-1")) is None
