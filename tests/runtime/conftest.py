"""A run in one process, made once, that tests look at or copy."""

import shutil

import pytest
from testkit.command import QUICKSTART
from testkit.shared import once

from collude.common.scenario import load_scenario
from collude.runtime.rundir import RunDirectory
from collude.runtime.runner import Options, run_scenario


def quickstart(*overrides, seed=7):
    return load_scenario(QUICKSTART, overrides, seed)


def run_quietly(out, *overrides, seed=7, **options):
    """Run the quickstart in this process, without report and baselines."""
    quiet = {"compare": False, "report": False} | options
    return run_scenario(quickstart(*overrides, seed=seed), Options(out, **quiet))


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> RunDirectory:
    """The quickstart, seed 7; look, do not touch."""
    folder = once(tmp_path_factory, "finished", lambda f: run_quietly(f / "run") and None)
    return RunDirectory(folder / "run")


@pytest.fixture
def mine(finished, tmp_path) -> RunDirectory:
    """A copy of it, to be changed."""
    shutil.copytree(finished.root, tmp_path / "mine")
    return RunDirectory(tmp_path / "mine")
