"""The findings page: its tables are what was stored, and its commands exist."""

import json
import re
import subprocess
import sys

import pytest
from testkit.command import ROOT

PAGE = (ROOT / "docs" / "findings.md").read_text("utf-8")
STORED = sorted(re.findall(r"<!-- made: ([a-z-]+) -->", PAGE))
NAMED = sorted(re.findall(r"^    python -m tools\.findings ([a-z-]+)$", PAGE, re.MULTILINE))


def findings(*words):
    command = [sys.executable, "-m", "tools.findings", *words]
    return subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)


def test_an_unknown_study_is_refused() -> None:
    done = findings("centered")
    assert done.returncode == 2
    assert "no such study: centered" in done.stderr


def test_the_tables_are_what_was_stored() -> None:
    assert findings("--check").returncode == 0


def test_every_study_stands_on_the_page_with_its_command() -> None:
    known = {name for name in findings().stdout.split() if not name.endswith("-small")}
    assert known == set(STORED) == set(NAMED)


@pytest.mark.parametrize("name", STORED)
def test_every_figure_has_its_numbers_in_its_interval(name) -> None:
    document = json.loads((ROOT / "docs" / "figures" / f"{name}.json").read_text("utf-8"))
    assert document["study"] == name
    assert document["settings"]
    for row in document["rows"]:
        assert row["low"] <= row["mean"] <= row["high"]
        assert row["n"] >= 2 or row["low"] == row["high"]
