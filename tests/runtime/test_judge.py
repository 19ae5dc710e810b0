"""Linkage in a run of real faces: over everybody, beside its bounds, and the same afterwards."""

import json
import shutil

import numpy as np
import pytest
from testkit.quick import run_quickly
from testkit.shared import once

from collude.attacker.auditor import linkage
from collude.attacker.output import read_campaign
from collude.common.errors import (
    AuditorUnusable,
    DataUnavailable,
    ParameterInvalid,
    RunDirectoryInvalid,
    ScenarioInvalid,
)
from collude.common.ids import ATTACKER
from collude.runtime.finish import results_digest
from collude.runtime.judge import Judge
from collude.runtime.recorded import attack_recorded, recorded_scenario
from collude.runtime.rundir import RunDirectory, Truth

pytest.importorskip("PIL")

P1, P2, P3 = (f"participant-{i}" for i in (1, 2, 3))
SUITE = ("procrustes", "centred-procrustes", "wiener")
FACES = (
    "data.source=orl-faces", "data.participants=4", "features.kind=svd", "features.width=24",
    "mechanism.anchor_rows=25", "mechanism.anchor_noise=0.1",
    f"collusion.attacks={json.dumps(SUITE)}",
)  # fmt: skip


@pytest.fixture(scope="session")
def faces(tmp_path_factory) -> RunDirectory:
    """Real faces behind a narrow map; look, do not touch."""
    folder = once(tmp_path_factory, "judged", lambda place: run_quickly(place / "run", *FACES))
    return RunDirectory(folder / "run")


@pytest.fixture
def mine(faces, tmp_path) -> RunDirectory:
    """A copy of it, to be changed."""
    shutil.copytree(faces.root, tmp_path / "mine")
    return RunDirectory(tmp_path / "mine")


@pytest.fixture(scope="module")
def judge(faces) -> Judge:
    return Judge.of(faces, recorded_scenario(faces))


@pytest.mark.parametrize(
    ("setting", "error", "field"),
    [
        ("auditor.name=pixels-lad", ScenarioInvalid, "auditor.name"),
        ("auditor.name=onnx-face", AuditorUnusable, "auditor.model"),
        ("auditor.lineups=0", ScenarioInvalid, "auditor.lineups"),
        ("auditor.sha256=abc", ScenarioInvalid, "auditor.sha256"),
    ],
)
def test_an_auditor_that_cannot_work_is_refused_before_anything_runs(
    tmp_path, setting, error, field
):
    with pytest.raises(error) as caught:
        run_quickly(tmp_path / "run", *FACES, setting)
    assert caught.value.field == field
    assert not (tmp_path / "run").exists()


def test_a_missing_file_is_refused_before_anything_runs(tmp_path):
    named = ("auditor.name=onnx-face", "auditor.model=gone.onnx", f'auditor.sha256="{"0" * 64}"')
    with pytest.raises(DataUnavailable, match=r"gone\.onnx"):
        run_quickly(tmp_path / "run", *FACES, *named)
    assert not (tmp_path / "run").exists()


def test_records_of_nobody_cannot_be_judged_by_a_named_auditor(tmp_path):
    with pytest.raises(ScenarioInvalid, match="who is on a record"):
        run_quickly(tmp_path / "run", "auditor.name=pixels-lda")


def test_where_nobody_is_known_the_figures_are_null(finished):
    attacks = finished.results()["attacks"]
    assert {attack["linkage"] for attack in attacks["attacks"]} == {None}
    assert {attacks[key] for key in ("ceiling", "floor", "chance", "auditor")} == {None}
    assert attacks["leakage"]["linkage"] is None
    assert not read_campaign(finished.party(ATTACKER) / "attacks").others


def test_every_attack_is_judged_between_chance_and_the_clean_records(faces):
    attacks = faces.results()["attacks"]
    assert [attack["name"] for attack in attacks["attacks"]] == list(SUITE)
    assert attacks["chance"] == 0.1
    assert attacks["floor"] == pytest.approx(0.1, abs=0.04)
    assert attacks["ceiling"] > 0.5
    for attack in attacks["attacks"]:
        low, high = attack["interval"]
        assert 0.15 < low <= attack["linkage"] <= high <= 1.0
        assert attack["linkage"] <= attacks["ceiling"] + 0.1


def test_the_leakage_is_the_highest_linkage_and_names_its_attack(faces):
    attacks = faces.results()["attacks"]
    worst = max(attacks["attacks"], key=lambda attack: attack["linkage"])
    assert attacks["leakage"]["attack"] == worst["name"]
    for key in ("linkage", "interval", "centred_relative"):
        assert attacks["leakage"][key] == worst[key]


def test_all_who_do_not_collude_are_judged_and_the_auditor_is_named(faces, judge):
    auditor = faces.results()["attacks"]["auditor"]
    assert auditor["participants"] == [P1, P2, P3]
    assert (auditor["people"], auditor["references"], auditor["ways"]) == (15, 20, 10)
    assert (auditor["people_trained_on"], auditor["people_calibrated_on"]) == (14, 6)
    assert auditor["sha256"] == judge.auditor.sha256
    assert auditor["queries"] == sum(len(faces.truth(p).records) for p in (P1, P2, P3))


def test_the_weights_do_not_enter_the_results_digest_and_a_linkage_does(faces):
    """The same seed on another kernel gives other last digits of weights, so another hash."""
    results = {k: v for k, v in faces.results().items() if k not in {"timings", "warnings"}}
    digest = results.pop("results_digest")
    results.pop("training_device")
    sha256 = results["attacks"]["auditor"].pop("sha256")
    assert results_digest(results) == digest
    assert len(sha256) == 64
    results["attacks"]["attacks"][0]["linkage"] -= 0.01
    assert results_digest(results) != digest


def test_linkage_is_that_of_the_public_function(faces, judge):
    """Once more, from pictures and names alone."""
    campaign = read_campaign(faces.party(ATTACKER) / "attacks")
    name = "centred-procrustes"
    made = {P1: campaign.results[name].records, **{p: campaign.others[p][name] for p in (P2, P3)}}
    rows = np.concatenate([judge.public.decode(made[p]) for p in (P1, P2, P3)])
    ids = np.concatenate([faces.truth(p).identities for p in (P1, P2, P3)])
    with np.load(faces.root / "truth" / "people.npz") as roll:
        references, names = judge.public.decode(roll["references"]), roll["reference_ids"]
    embed = judge.auditor.embed
    found = linkage(rows, ids, references, names, embed, judge.entropy.generator("lineups"))
    (scored,) = (a for a in faces.results()["attacks"]["attacks"] if a["name"] == name)
    assert found["rank1"] == scored["linkage"]
    assert found["interval"] == scored["interval"]
    assert (found["nway"], found["auc"]) == (scored["nway"], scored["auc"])


def test_identities_are_those_of_the_uploaded_rows(faces):
    """Five people each, in order; nobody's reserved picture is uploaded."""
    with np.load(faces.root / "truth" / "people.npz") as roll:
        references, names = roll["references"], roll["reference_ids"]
    for number, party in enumerate((P1, P2, P3), start=1):
        truth = faces.truth(party)
        assert np.unique(truth.identities).tolist() == [*range(21 + 5 * number, 26 + 5 * number)]
        assert len(truth.identities) == len(truth.records)
        for row in truth.records:
            assert np.abs(references - row).sum(axis=1).min() > 1e-6
    assert names.tolist() == list(range(21, 41))


def test_an_attack_on_the_recorded_run_is_judged_exactly_as_the_run_was(faces):
    campaign, scored = attack_recorded(faces, None, [], None)
    assert json.loads(json.dumps(scored)) == faces.results()["attacks"]
    assert set(campaign.others) == {P2, P3}


def test_another_coalition_is_judged_by_the_people_who_are_left(faces):
    _, scored = attack_recorded(faces, ["participant-0", P3], ["procrustes"], P2)
    assert scored["auditor"]["participants"] == [P1, P2]
    assert scored["auditor"]["people"] == 10


def test_the_target_alone_is_attacked_where_the_scenario_says_so(tmp_path, faces):
    one = run_quickly(tmp_path / "run", *FACES, "auditor.everyone=false")
    assert one["attacks"]["auditor"]["participants"] == [P1]
    both = zip(one["attacks"]["attacks"], faces.results()["attacks"]["attacks"], strict=True)
    assert all(few["centred_relative"] == many["centred_relative"] for few, many in both)


def test_noise_in_place_of_the_truth_changes_scores_and_no_reconstruction(mine, faces):
    rng = np.random.default_rng(0)
    for party in (P1, P2, P3):
        true = faces.truth(party)
        noise = Truth(rng.standard_normal(true.records.shape), identities=true.identities[::-1])
        mine.write_truth(party, noise)
    campaign, scored = attack_recorded(mine, None, [], None)
    stored = read_campaign(faces.party(ATTACKER) / "attacks")
    for name in SUITE:
        assert np.array_equal(campaign.results[name].records, stored.results[name].records)
        assert np.array_equal(campaign.others[P2][name], stored.others[P2][name])
    assert scored["attacks"] != faces.results()["attacks"]["attacks"]


def test_a_truth_that_names_nobody_leaves_no_linkage(mine):
    rng = np.random.default_rng(0)
    for path in (mine.root / "truth").glob("*.npz"):
        with np.load(path) as held:
            arrays = {name: rng.standard_normal(held[name].shape) for name in held.files}
        np.savez(path, allow_pickle=False, **arrays)
    campaign, scored = attack_recorded(mine, None, [], None)
    assert {attack["linkage"] for attack in scored["attacks"]} == {None}
    assert set(campaign.results) == set(SUITE)


@pytest.mark.parametrize("gone", ["people.npz", "*.npz"])
def test_without_the_roll_there_is_no_linkage_and_the_rest_stays(mine, gone):
    for path in (mine.root / "truth").glob(gone):
        path.unlink()
    _, scored = attack_recorded(mine, None, [], None)
    assert {attack["linkage"] for attack in scored["attacks"]} == {None}
    assert (scored["ceiling"], scored["auditor"]) == (None, None)


def test_a_damaged_roll_is_named(mine):
    (mine.root / "truth" / "people.npz").write_bytes(b"no archive")
    with pytest.raises(RunDirectoryInvalid, match=r"people\.npz"):
        attack_recorded(mine, None, [], None)


def test_records_that_are_not_the_participants_rows_are_refused(judge):
    with pytest.raises(ParameterInvalid):
        judge.linkage({P1: np.zeros((3, 24))})
    wrong = np.full_like(judge.truths[P1].records, np.nan)
    with pytest.raises(ParameterInvalid):
        judge.linkage({P1: wrong})


def test_a_random_rotation_shows_nobody_and_clean_records_most(judge):
    true = {party: judge.truths[party].records for party in (P1, P2, P3)}
    controls = judge.controls(true)
    assert controls["clean"] == judge.linkage(true)
    assert controls["random_rotation"]["rank1"] < 0.35 < controls["clean"]["rank1"]
    assert controls["shuffled"]["auc"] == pytest.approx(0.5, abs=0.03)


def test_no_party_holds_an_identity_and_the_roll_is_private(faces):
    kept = list((faces.root / "parties").rglob("*.npz"))
    assert kept
    for path in kept:
        with np.load(path) as stored:
            assert not {"identities", "reference_ids", "public_ids"} & set(stored.files)
    assert (faces.root / "truth" / "people.npz").stat().st_mode & 0o077 == 0
