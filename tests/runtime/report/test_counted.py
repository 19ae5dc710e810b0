"""Uploads under CoDef on the page and on the terminal: what is bounded, and what is not."""

import re
import subprocess
import sys

import pytest
from testkit.command import QUICKSTART, ROOT, collude
from testkit.shared import once

from collude.runtime.report import write_report
from collude.runtime.rundir import RunDirectory

COUNTED = ("codef.enabled=true", "codef.persons=1350", "codef.epochs=1")
BOUNDED = (
    *COUNTED, "mechanism.method=aa-gdp-noise", "mechanism.anchor_noise=0.0",
    "codef.policy=information", "codef.gamma=0.9", "codef.clip=4.0",
    "codef.epsilon_grid=[8.0, 4.0, 2.0]",
)  # fmt: skip
HEURISTIC = (
    *COUNTED, "codef.policy=paper", "mechanism.anchor_noise=0.0",
    "codef.noise_table=[[1.0, 0.05], [0.5, 0.2]]",
)  # fmt: skip


def run(folder, changes):
    words = [word for change in changes for word in ("--set", change)]
    said = collude("run", QUICKSTART, "--out", folder / "run", "--no-compare", *words)
    assert said.code == 0, said.err
    (folder / "said.txt").write_text(said.out)


@pytest.fixture(scope="module")
def bounded(tmp_path_factory):
    return once(tmp_path_factory, "counted-bounded", lambda place: run(place, BOUNDED))


@pytest.fixture(scope="module")
def heuristic(tmp_path_factory):
    return once(tmp_path_factory, "counted-heuristic", lambda place: run(place, HEURISTIC))


def text_of(folder) -> str:
    page = (folder / "run" / "report.html").read_text()
    plain = re.sub(r"data:image/png;base64,[A-Za-z0-9+/=]+", "", page[page.index("<body") :])
    return " ".join(re.sub(r"<[^>]+>", " ", plain).split())


def test_each_upload_has_its_level_noise_and_bound(bounded) -> None:
    codef = RunDirectory(bounded / "run").results()["codef"]
    text = text_of(bounded)
    assert len(codef["uploads"]) == 3
    for upload in codef["uploads"]:
        assert upload["bound"] <= upload["nats"]
        row = f"{upload['party']} {upload['level']:g} sigma = {upload['sigma']:.4g} on the records"
        assert row in text
    assert f"{codef['nats_in_all']:.4g} nats about one of 1350 persons" in text
    assert "Labels travel in clear and are outside this number." in text
    assert "Heuristic" not in text


def test_the_terminal_shows_the_noise_too(bounded, heuristic) -> None:
    said = (bounded / "said.txt").read_text()
    assert "Noise of the uploads, set by CoDef" in said
    assert "Labels travel in clear" in said
    assert "Heuristic, no guarantee" in (heuristic / "said.txt").read_text()


def test_noise_on_the_anchor_promises_nothing(heuristic) -> None:
    text = text_of(heuristic)
    assert "Heuristic, no guarantee" in text
    assert "v = 0.05 on the anchor" in text
    assert "Guarantee." not in text
    assert "may tell" not in text


def test_the_ledger_of_the_period_can_be_audited(bounded) -> None:
    codef = RunDirectory(bounded / "run").results()["codef"]
    path = bounded / "run" / "parties" / "coordinator" / "ledger-0.jsonl"
    script = ROOT / "tests" / "independent" / "ledger_audit.py"
    done = subprocess.run(
        [sys.executable, "-I", script, path], capture_output=True, text=True, check=True
    )
    ledger = codef["periods"][0]["ledger"]
    assert done.stdout.strip() == f"{ledger['entries']} entries, head {ledger['head']}"
    assert ledger["head"] in text_of(bounded)


def test_a_run_without_codef_has_no_such_section(mine) -> None:
    page = write_report(mine.root).read_text()
    assert "Noise that CoDef set" not in page
    assert "Person releases" not in page


@pytest.mark.parametrize(
    ("colluder", "sentence"),
    [
        ("liar", "It lies: it hands over secrets that fit no upload, and invented records."),
        ("partial", "It hands over a random half of its records only."),
        ("no-such", "What it hands over is made by the colluder no-such."),
        ("honest", ""),
    ],
)
def test_that_a_colluder_lied_is_said(mine, colluder, sentence) -> None:
    manifest = mine.manifest()
    manifest["scenario"]["collusion"]["colluder"] = colluder
    mine.write_manifest(manifest)
    page = write_report(mine.root).read_text()
    assert sentence in page
    assert ("It lies" in page) == (colluder == "liar")
