"""Cells run once, in any pool, with the same result; what is kept is what is asked for."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from collude.common.errors import (
    ExtraMissing,
    ParameterInvalid,
    RunDirectoryExists,
    RunDirectoryInvalid,
)
from collude.runtime.study import pools
from collude.runtime.study.engine import Asked, execute
from collude.runtime.study.kept import StudyDirectory, digest
from collude.runtime.study.pools import each
from collude.studies.registry import STUDIES
from collude.studies.study import Cell

STUDY = STUDIES["threshold-scaling"]
ASKED = Asked(STUDY, "smoke", check=True)
NAMED = ("threshold-scaling", "smoke", 92)


def quiet(_: str) -> None:
    """Say nothing."""


def opened(root: Path, *, resume: bool = False) -> StudyDirectory:
    return StudyDirectory.open(root, *NAMED, resume=resume)


@pytest.mark.processes
def test_processes_compute_what_one_does() -> None:
    here = execute(ASKED, None, quiet)
    there = execute(replace(ASKED, jobs=2), None, quiet)
    assert here.outcome == there.outcome
    assert here.document["timings"]["cells"] == 9
    assert here.disagreements == []


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_backend_that_is_not_installed_is_named(backend, package, monkeypatch) -> None:
    monkeypatch.setattr(pools, "find_spec", lambda name: None if name == package else object())
    with pytest.raises(ExtraMissing, match=f"{package}.*pip install"):
        execute(replace(ASKED, backend=backend), None, quiet)
    with pytest.raises(ExtraMissing, match=package):
        list(each([], backend, 1))


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(ParameterInvalid, match="loky, dask, ray"):
        execute(replace(ASKED, backend="threads"), None, quiet)


def test_one_job_is_done_here() -> None:
    assert list(each([(divmod, (7, 2)), (max, (1, 5))], "loky", 1)) == [(3, 1), 5]


def test_finished_cells_are_not_repeated(tmp_path: Path) -> None:
    said: list[str] = []
    first = execute(ASKED, opened(tmp_path / "s"), said.append)
    assert len(said) == 9
    kept = sorted((tmp_path / "s" / "cells").iterdir())
    assert len(kept) == 9
    kept[0].unlink()
    kept[1].write_text("{", encoding="utf-8")  # cut short by a crash
    said.clear()
    again = execute(ASKED, opened(tmp_path / "s", resume=True), said.append)
    assert len(said) == 2
    assert again.timings["cells_resumed"] == 7
    assert again.outcome == first.outcome


def test_an_interrupted_study_keeps_what_was_done(tmp_path: Path) -> None:
    def impatient(text: str) -> None:
        if text.startswith("4 of 9"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(ASKED, opened(tmp_path / "s"), impatient)
    assert json.loads((tmp_path / "s" / "status.json").read_text("utf-8"))["state"] == "running"
    found = execute(ASKED, opened(tmp_path / "s", resume=True), quiet)
    assert found.timings["cells_resumed"] == 4
    assert found.outcome == execute(ASKED, None, quiet).outcome


def test_a_cell_is_known_by_all_that_its_rows_depend_on() -> None:
    cell = Cell("k", quiet, {"n": 5})
    others = [
        digest("s", cell, 2),
        digest("t", cell, 1),
        digest("s", replace(cell, key="other"), 1),
        digest("s", replace(cell, arguments={"n": 6}), 1),
        digest("s", replace(cell, work=opened), 1),
    ]
    assert len({digest("s", cell, 1), *others}) == 6
    assert digest("s", replace(cell, arguments={"n": 5}), 1) == digest("s", cell, 1)


def test_a_directory_that_is_there_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RunDirectoryExists, match="--resume"):
        opened(tmp_path)
    with pytest.raises(RunDirectoryInvalid, match=r"status\.json"):
        opened(tmp_path, resume=True)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("other", [("synergy", "smoke", 92), ("threshold-scaling", "paper", 92)])
def test_another_studys_directory_is_refused(tmp_path: Path, other) -> None:
    opened(tmp_path / "s")
    with pytest.raises(RunDirectoryInvalid, match="another study"):
        StudyDirectory.open(tmp_path / "s", *other, resume=True)


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RunDirectoryInvalid, match="cannot be written"):
        opened(tmp_path / "file" / "s")
