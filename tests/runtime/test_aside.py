"""A run beside others: its results, its errors by name, and no orphan."""

import json
import os

import pytest
from testkit.command import ROOT

from collude.common.errors import PartyFailed
from collude.runtime.aside import aside
from collude.runtime.rundir import RunDirectory

RELEASES = ROOT / "deploy" / "scenarios" / "releases.toml"
SMALL = (
    "codef.silos=4", "codef.threshold=3", "codef.persons=12", "codef.epochs=1",
    "codef.attributes=1", "codef.max_success=0.4", "codef.policies=['success']",
)  # fmt: skip

pytestmark = pytest.mark.processes


def test_its_results_are_those_of_its_run_directory(tmp_path) -> None:
    with aside(RELEASES, SMALL, tmp_path / "run") as started:
        results = started.results()
    assert results == RunDirectory(tmp_path / "run").results()
    assert [period["policy"] for period in results["codef"]["policies"]] == ["success"]


def test_why_it_failed_is_said(tmp_path) -> None:
    changes = (*SMALL, "codef.strategy=guessing")
    with (
        aside(RELEASES, changes, tmp_path / "run") as started,
        pytest.raises(PartyFailed) as raised,
    ):
        started.results()
    assert "there is no such strategy" in str(raised.value)
    assert raised.value.got == "exit status 2"


def test_whoever_leaves_early_leaves_nobody_behind(tmp_path) -> None:
    with aside(RELEASES, (), tmp_path / "run") as started:
        pid = started._child.pid
        os.kill(pid, 0)  # it lives
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    status = tmp_path / "run" / "status.json"
    if status.exists():  # it came so far
        assert json.loads(status.read_text())["state"] != "finished"
