"""`collude study`: names, documents, directories, exit codes."""

import json
from pathlib import Path

import pytest
from testkit.command import collude, program

from collude.studies.registry import STUDIES

KEYS = {"study", "preset", "rows", "claims", "timings"}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((), "--list"),
        (("shufle",), "did you mean shuffle?"),
        (("phase",), "phase-transition"),
        (("shuffle", "--preset", "large"), "smoke, paper, honest"),
        (("shuffle", "--backend", "spark"), "loky, dask, ray"),
        (("shuffle", "--resume"), "--out"),
        (("shuffle", "--jobs", 0), "--jobs"),
    ],
)
def test_bad_input_is_refused_by_name(words: tuple[object, ...], named: str) -> None:
    said = collude("study", *words)
    assert said.code == 2
    assert named in said.words


def test_the_list_has_one_line_for_each_study() -> None:
    lines = collude("study", "--list").out.splitlines()
    assert [line.split()[0] for line in lines] == list(STUDIES)
    listed = collude("study", "--list", "--json").json["studies"]
    assert [entry["name"] for entry in listed] == list(STUDIES)
    assert all(entry["summary"] for entry in listed)


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_one_document(name: str) -> None:
    said = collude("study", name, "--preset", "smoke", "--json")
    assert said.code == 0
    assert set(said.json) == KEYS
    assert (said.json["study"], said.json["preset"]) == (name, "smoke")
    assert said.json["rows"]
    for claim in said.json["claims"]:
        assert set(claim) == {"claim", "paper", "measured", "verdict"}
        assert all(isinstance(part, str) and part for part in claim.values())


def test_the_papers_grid_is_the_default() -> None:
    assert collude("study", "synergy", "--json").json["preset"] == "paper"


def test_a_person_gets_the_table() -> None:
    text = collude("study", "synergy", "--preset", "smoke").out
    for words in ("paper says", "we measure", "verdict", "FALSE", "holds", "--check"):
        assert words in text


def test_a_directory_is_written_once_and_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    words = ("study", "threshold-scaling", "--preset", "smoke", "--check", "--jobs", 1)
    first = collude(*words, "--out", folder)
    assert first.code == 0
    assert "9 of 9" in first.words
    written = json.loads((folder / "study.json").read_text("utf-8"))
    assert set(written) == KEYS
    assert (folder / "figures" / "threshold-scaling.png").is_file()
    assert "we measure" in (folder / "report.html").read_text("utf-8")
    assert json.loads((folder / "status.json").read_text("utf-8"))["state"] == "finished"
    assert collude(*words, "--out", folder).code == 2
    again = collude(*words, "--out", folder, "--resume", "--json")
    assert again.code == 0
    assert again.json["timings"]["cells_resumed"] == 9
    assert again.json["rows"] == written["rows"]


def test_games_that_disagree_are_an_exit_code(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("collude.studies.agreement.allowed", lambda _: 0.0)
    words = ("study", "synergy", "--preset", "smoke", "--check", "--jobs", 1)
    said = collude(*words, "--json", "--out", tmp_path / "s")
    assert said.code == 4
    assert "disagrees" in said.words
    assert said.json["claims"][-1]["verdict"] == "FALSE"
    assert json.loads((tmp_path / "s" / "status.json").read_text("utf-8"))["state"] == "disagrees"


@pytest.mark.processes
def test_as_a_program_with_processes() -> None:
    said = program(
        "study", "synergy", "--preset", "smoke", "--check", "--jobs", 2, "--json",
        env={"COLUMNS": "200"},
    )  # fmt: skip
    assert said.code == 0
    assert set(said.json) == KEYS
    assert "4 of 4" in said.words
    assert "Traceback" not in said.err
    assert "Warning" not in said.err
