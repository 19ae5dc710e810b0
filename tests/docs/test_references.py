"""What the pages refer to exists: tests by name, files by path; and the faults are counted."""

import re
import subprocess
import sys

import pytest
from testkit.command import ROOT

PAGES = sorted((ROOT / "docs").rglob("*.md"))
COVERAGE = ROOT / "tools" / "fault_coverage.py"
GOOD = "tests/docs/test_references.py::test_the_faults_are_counted"


def coverage(*words):
    command = [sys.executable, COVERAGE, *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_the_faults_are_counted() -> None:
    done = coverage()
    assert done.returncode == 0, done.stderr
    total = re.search(r"(\d+) faults: (\d+) with tests, (\d+) with a reason", done.stdout)
    faults, tested, excused = map(int, total.groups())
    assert faults == tested + excused
    assert tested > 60


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('tests = ["tests/docs/test_references.py::test_that_is_not_there"]', "there is no test"),
        ('tests = ["tests/nowhere.py::test_x"]', "there is no test tests/nowhere.py"),
        ('tests = ["tests/docs/test_references.py"]', "there is no test"),
        ('tests = ["tests/docs/test_references.py::coverage"]', "there is no test"),
        ("", "give tests, or the reason"),
        (f'tests = ["{GOOD}"]\nwhy = "both"', "give tests, or the reason"),
    ],
)
def test_an_entry_that_proves_nothing_fails(tmp_path, entry, said) -> None:
    table = tmp_path / "table.toml"
    table.write_text(f'["Group"."good"]\ntests = ["{GOOD}"]\n["Group"."fault"]\n{entry}\n')
    done = coverage(table)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Group: fault" in done.stderr
    assert "good" not in done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tests_that_a_page_names_exist(page) -> None:
    for name in re.findall(r"`(tests/[\w/.]+(?:::\w+)?)`", page.read_text("utf-8")):
        path, _, function = name.partition("::")
        assert (ROOT / path).exists(), name
        assert f"def {function}" in (ROOT / path).read_text("utf-8") if function else True, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_links_to_exist(page) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text("utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target
