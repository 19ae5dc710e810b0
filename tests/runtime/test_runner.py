"""A run from its scenario to its directory, and how it stops when something fails."""

import json

import numpy as np
import pytest
from testkit.quick import run_quickly

from collude.common.errors import RunDirectoryExists, ScenarioInvalid, UploadRejected
from collude.runtime.recorded import recorded_scenario, recorded_view
from collude.runtime.rundir import RunDirectory

IMPOSSIBLE = "mechanism.anchor_noise=1e300"  # no anchor is left that could be squared


class Stops:
    """A progress that is interrupted at a step."""

    def __init__(self, at: str, error: BaseException):
        self.at, self.error = at, error
        self.steps: list[str] = []

    def step(self, text: str) -> None:
        self.steps.append(text)
        if self.at in text:
            raise self.error


def test_nothing_is_made_for_a_runtime_that_does_not_exist(tmp_path) -> None:
    with pytest.raises(ScenarioInvalid, match="inprocess"):
        run_quickly(tmp_path / "run", runtime="pigeons")
    assert not (tmp_path / "run").exists()


def test_an_anchor_that_does_not_fit_the_records_fails_before_anything_starts(tmp_path) -> None:
    with pytest.raises(ScenarioInvalid, match="anchor_rows"):
        run_quickly(tmp_path / "run", "mechanism.anchor_rows=64")
    assert not (tmp_path / "run").exists()


def test_an_existing_directory_is_kept(mine) -> None:
    before = mine.results()
    with pytest.raises(RunDirectoryExists):
        run_quickly(mine.root)
    assert mine.results() == before


def test_steps_are_told_in_order(tmp_path) -> None:
    never = Stops("nothing that is ever said", AssertionError())
    run_quickly(tmp_path / "run", report=True, progress=never)
    assert never.steps[-2:] == ["scores and baselines", "the report"]


@pytest.mark.parametrize("step", ["the parties talk", "the coalition attacks", "scores", "report"])
def test_an_interrupt_at_any_step_leaves_a_readable_directory(tmp_path, step) -> None:
    stop = Stops(step, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run_quickly(tmp_path / "run", report=True, progress=stop)
    run = RunDirectory.open(tmp_path / "run")
    assert run.status().state == "interrupted"
    assert run.manifest()["scenario"]["scenario"]["name"] == "quickstart"
    for path in run.root.rglob("*.json*"):
        for line in [path.read_text()] if path.suffix == ".json" else path.read_text().splitlines():
            json.loads(line)
    assert not list(run.root.rglob("*.partial"))


def test_a_defect_is_a_failed_run_that_says_so(tmp_path) -> None:
    with pytest.raises(ZeroDivisionError):
        run_quickly(tmp_path / "run", progress=Stops("scores", ZeroDivisionError("oh")))
    status = RunDirectory(tmp_path / "run").status()
    assert (status.state, status.detail) == ("failed", "oh")


def test_a_refused_upload_ends_the_run_and_is_what_is_told(tmp_path) -> None:
    with pytest.raises(UploadRejected) as caught:
        run_quickly(tmp_path / "run", IMPOSSIBLE)
    assert caught.value.party == "participant-0"
    assert caught.value.field == "anchor"
    run = RunDirectory(tmp_path / "run")
    assert run.status().state == "failed"
    assert "participant-0" in run.status().detail
    assert not (run.root / "results.json").exists()
    assert not list((run.root / "truth").iterdir())


def test_baselines_stand_beside_the_utility_only_if_asked_for(tmp_path) -> None:
    assert run_quickly(tmp_path / "a")["utility"]["baselines"] == {}
    found = run_quickly(tmp_path / "b", compare=True)["utility"]["baselines"]
    assert set(found) == {"local", "c-gdp", "i-gdp"}


def test_the_truth_is_what_the_target_uploaded_from(finished) -> None:
    """The stored records, put through the stored secret, are the upload without its noise."""
    view = recorded_view(finished, recorded_scenario(finished), [])
    for party, upload in view.uploads.items():
        truth = finished.truth(party)
        made = truth.records @ truth.rotation + truth.translation
        assert np.allclose(made, upload.private, atol=1e-12)


def test_what_a_run_is_made_of_stands_in_its_manifest(finished) -> None:
    manifest = finished.manifest()
    assert manifest["seed"] == manifest["scenario"]["scenario"]["seed"] == 7
    assert manifest["runtime"] == "inprocess"
    assert manifest["data"]["rows"] == 1797
    assert manifest["blas"]
    assert manifest["versions"]["numpy"]
    assert manifest["transcript_digest"] == finished.results()["transcript_digest"]
