"""A run in one process, made once, that tests look at or copy."""

import shutil

import pytest
from testkit.quick import run_quickly
from testkit.shared import once

from collude.runtime.rundir import RunDirectory


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> RunDirectory:
    """The quickstart, seed 7; look, do not touch."""
    folder = once(tmp_path_factory, "finished", lambda place: run_quickly(place / "run"))
    return RunDirectory(folder / "run")


@pytest.fixture
def mine(finished, tmp_path) -> RunDirectory:
    """A copy of it, to be changed."""
    shutil.copytree(finished.root, tmp_path / "mine")
    return RunDirectory(tmp_path / "mine")
