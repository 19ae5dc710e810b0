"""The run directory: what it refuses to overwrite or read, and that files are whole."""

import json
import os

import numpy as np
import pytest

from collude.common.data import load_dataset
from collude.common.errors import RunDirectoryExists, RunDirectoryInvalid
from collude.common.scenario import build_scenario
from collude.runtime.json_files import jsonable, read_json, write_json
from collude.runtime.manifest import build_manifest
from collude.runtime.rundir import RunDirectory, Status, Truth
from collude.runtime.versions import blas_kernels, versions


@pytest.fixture
def run(tmp_path):
    return RunDirectory.create(tmp_path / "läufe 実行" / "run 1")


def test_an_existing_directory_is_refused_and_left_alone(run):
    run.write_results({"kept": 1})
    with pytest.raises(RunDirectoryExists, match="--force"):
        RunDirectory.create(run.root)
    assert run.results() == {"kept": 1}


def test_an_existing_empty_directory_and_a_file_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for name in ("file", "empty"):
        with pytest.raises(RunDirectoryExists):
            RunDirectory.create(tmp_path / name)


def test_force_replaces_a_run_directory_and_an_empty_one(run, tmp_path):
    run.write_results({"old": 1})
    replaced = RunDirectory.create(run.root, force=True)
    assert not (replaced.root / "results.json").exists()
    (tmp_path / "empty").mkdir()
    RunDirectory.create(tmp_path / "empty", force=True)


def test_force_never_removes_anything_else(tmp_path, run):
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.txt").write_text("ten years")
    (home / "status.json").write_text('{"format": "something else"}')
    (tmp_path / "link").symlink_to(run.root)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    for name in ("home", "link", "dangling", "file"):
        with pytest.raises(RunDirectoryExists, match="does not remove"):
            RunDirectory.create(tmp_path / name, force=True)
    assert (home / "thesis.txt").read_text() == "ten years"
    assert run.status().phase == "start"


def test_a_directory_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunDirectoryInvalid, match="cannot be made"):
        RunDirectory.create(tmp_path / "file" / "run")


def test_what_is_no_run_directory_is_not_opened(tmp_path):
    with pytest.raises(RunDirectoryInvalid, match="no such directory"):
        RunDirectory.open(tmp_path / "absent")
    with pytest.raises(RunDirectoryInvalid, match="no run directory"):
        RunDirectory.open(tmp_path)
    (tmp_path / "status.json").write_text('{"format": "collude-run/1"')
    with pytest.raises(RunDirectoryInvalid, match="no run directory"):
        RunDirectory.open(tmp_path)


def test_a_run_that_died_says_where(run):
    run.write_status(Status("failed", "r3_upload", "participant-2 did not come"))
    reopened = RunDirectory.open(run.root)
    assert reopened.status().state == "failed"
    with pytest.raises(RunDirectoryInvalid, match="r3_upload") as caught:
        reopened.results()
    assert "participant-2" in str(caught.value)
    with pytest.raises(RunDirectoryInvalid, match="missing"):
        reopened.manifest()


@pytest.mark.parametrize("content", ["", "[1]", '{"a": ', "\x00"])
def test_a_damaged_results_file_is_named(run, content):
    (run.root / "results.json").write_text(content)
    with pytest.raises(RunDirectoryInvalid, match=r"results\.json"):
        run.results()


def test_a_status_with_other_keys_is_refused(run):
    write_json(run.root / "status.json", {"format": "collude-run/1", "other": 1})
    with pytest.raises(RunDirectoryInvalid, match="cannot be read"):
        run.status()


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "/etc/passwd", "Ä", ".hidden"])
def test_names_that_leave_the_directory_are_refused(run, name):
    with pytest.raises(RunDirectoryInvalid, match="name of a file"):
        run.party(name)
    with pytest.raises(RunDirectoryInvalid, match="name of a file"):
        run.write_reconstruction(name, np.ones((2, 2)))
    with pytest.raises(RunDirectoryInvalid, match="name of a file"):
        run.truth(name)


def test_a_partys_folder_and_the_truth_are_its_owners_only(run):
    before = os.umask(0)
    try:
        folder = run.party("participant-0")
        run.write_truth("participant-0", Truth(np.ones((2, 2))))
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (run.root / "truth").stat().st_mode & 0o777 == 0o700
    assert (run.root / "truth" / "participant-0.npz").stat().st_mode & 0o777 == 0o600


def test_truth_comes_back_with_and_without_a_transform(run):
    full = Truth(np.eye(3), np.eye(3)[::-1], np.arange(3.0))
    run.write_truth("participant-1", full)
    run.write_truth("participant-2", Truth(np.eye(3)))
    assert (run.truth("participant-1").rotation == full.rotation).all()
    assert (run.truth("participant-1").translation == full.translation).all()
    assert run.truth("participant-2").rotation is None
    assert (run.truth("participant-2").records == np.eye(3)).all()


def test_a_missing_and_a_damaged_truth_are_named(run):
    with pytest.raises(RunDirectoryInvalid, match="no such file"):
        run.truth("participant-1")
    (run.root / "truth" / "participant-1.npz").write_bytes(b"PK\x03\x04")
    with pytest.raises(RunDirectoryInvalid, match=r"participant-1\.npz"):
        run.truth("participant-1")


def test_reconstructions_come_back(run):
    run.write_reconstruction("centred-procrustes", np.arange(6.0).reshape(2, 3))
    assert run.reconstruction("centred-procrustes").tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(RunDirectoryInvalid):
        run.reconstruction("procrustes")


def test_writing_leaves_no_partial_file_and_keeps_the_old_one_on_failure(run):
    run.write_results({"a": 1})
    with pytest.raises(RecursionError):
        run.write_results(endless())
    assert run.results() == {"a": 1}
    assert not list(run.root.glob("*.partial"))


def endless():
    value = {}
    value["self"] = value
    return value


def test_json_has_only_what_json_has(tmp_path):
    value = {
        "nan": float("nan"),
        "inf": np.float64("inf"),
        "array": np.arange(3),
        "number": np.int64(3),
        "pair": (1, True),
        "set": {1},
        "path": tmp_path,
        3: None,
    }
    write_json(tmp_path / "x.json", value)
    expected = {
        "nan": None,
        "inf": None,
        "array": [0, 1, 2],
        "number": 3,
        "pair": [1, True],
        "set": [1],
        "path": str(tmp_path),
        "3": None,
    }
    assert read_json(tmp_path / "x.json") == expected
    assert jsonable(True) is True


def test_the_manifest_says_what_is_needed_to_repeat_the_run(run):
    scenario = build_scenario({"scenario": {"name": "x", "seed": 7}})
    run.write_manifest(build_manifest(scenario, load_dataset(scenario), runtime="inprocess"))
    manifest = run.manifest()
    assert build_scenario(manifest["scenario"]) == build_scenario(scenario.resolved_dict())
    assert manifest["seed"] == 7
    assert manifest["mode"] == "simulation"
    assert manifest["data"]["image_shape"] == [8, 8]
    assert len(manifest["data"]["fingerprint"]) == 64
    assert manifest["versions"]["numpy"] == np.__version__
    assert manifest["blas"]
    assert manifest["transcript_digest"] is None


def test_a_deployment_has_no_seed_and_no_common_data():
    scenario = build_scenario({"scenario": {"name": "x", "mode": "deployment"}})
    manifest = build_manifest(scenario, None, runtime="processes")
    assert manifest["seed"] is None
    assert manifest["data"] is None


def test_versions_are_of_the_installed_packages():
    assert {"python", "collude", "torch", "grpcio"} <= set(versions())
    assert all(set(kernel) == {"library", "version", "kernel"} for kernel in blas_kernels())


def test_a_directory_of_several_runs_lists_them(tmp_path):
    demo = RunDirectory.create(tmp_path / "demo")
    for name in ("naa-gdp", "c-gdp"):
        RunDirectory.create(demo.root / "runs" / name)
    (demo.root / "runs" / "notes").mkdir()
    assert [inner.root.name for inner in demo.runs()] == ["c-gdp", "naa-gdp"]
    assert demo.runs()[0].runs() == []
    assert json.loads((demo.root / "status.json").read_text())["state"] == "running"
