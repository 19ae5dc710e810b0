"""The commands that a newcomer meets first: what they refuse, and what they say."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = ("setup", "demo", "test", "check", "proto", "proto-check", "bench")
OLD_PYTHON = """#!/bin/sh
[ "$1" = --version ] && echo "Python 3.9.2" && exit 0
exit 1
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a bare tree, under a name that quoting must survive."""
    folder = tmp_path / "cölude $HOME tree"
    shutil.copytree(ROOT / "tools", folder / "tools")
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def make(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # `make test` hands its own flags and variables down in MAKEFLAGS.
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", *words], check=False, cwd=tree, env=outside, capture_output=True, text=True
    )


def test_setup_refuses_an_old_python_and_says_what_to_do(tree: Path) -> None:
    old = tree / "old python"
    old.write_text(OLD_PYTHON)
    old.chmod(0o755)
    run = make(tree, "setup", f"PYTHON={old}".replace("$", "$$"))
    assert run.returncode != 0
    for word in ("3.11 or newer", "Python 3.9.2", "make setup PYTHON=", "python3-venv"):
        assert word in run.stderr
    assert not (tree / ".venv").exists()


def test_setup_refuses_a_python_that_is_not_there(tree: Path) -> None:
    run = make(tree, "setup", "PYTHON=no-such-python")
    assert run.returncode != 0
    assert "no-such-python (not there)" in run.stderr


def test_a_failed_setup_stops_what_needs_it(tree: Path) -> None:
    run = make(tree, "demo", "PYTHON=no-such-python")
    assert run.returncode != 0
    assert "collude demo" not in run.stdout


def test_make_alone_lists_every_target(tree: Path) -> None:
    run = make(tree)
    assert run.returncode == 0, run.stderr
    listed = re.findall(r"^  make (\S+) +\S", run.stdout, flags=re.MULTILINE)
    assert set(TARGETS) <= set(listed)
