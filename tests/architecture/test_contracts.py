"""Each import contract is broken once, in a copy of the tree, to see that it is caught."""

import configparser
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COPIED = ("codef", "common", "participant", "analyst", "attacker", "runtime", "studies", "src")
CONFIGURATION = (".importlinter", "pyproject.toml")

# `collude` is a namespace, so an installed copy would be analysed beside the planted one.
LINT = """
import sys
source, *installed = sys.argv[1:]
sys.path[:] = [source] + [path for path in sys.path if path not in installed]
from importlinter.cli import lint_imports_command
sys.argv[1:] = ["--no-cache"]
lint_imports_command()
"""

# contract, file the breach is planted in, the line planted
BREACHES = [
    ("direction", "participant/planted.py", "import collude.analyst"),
    ("direction", "participant/planted.py", "import collude.attacker"),
    ("direction", "analyst/planted.py", "from collude import participant"),
    ("direction", "analyst/planted.py", "import collude.attacker"),
    ("direction", "attacker/planted.py", "import collude.participant"),
    ("direction", "attacker/planted.py", "from collude.analyst import planted_target"),
    ("direction", "common/planted.py", "import collude.participant"),
    ("direction", "common/geometry/planted.py", "import collude.attacker"),
    ("direction", "common/planted.py", "import collude.runtime"),
    ("direction", "common/planted.py", "import collude.codef.risk"),
    ("direction", "codef/planted.py", "import collude.participant"),
    ("direction", "codef/budget/planted.py", "import collude.analyst"),
    ("direction", "participant/planted.py", "def late():\n    import collude.runtime"),
    ("direction", "analyst/planted.py", "import collude.runtime"),
    ("direction", "attacker/planted.py", "import collude.runtime.cli"),
    ("direction", "common/planted.py", "import collude.studies"),
    ("direction", "codef/risk/planted.py", "import collude.studies.game"),
    ("direction", "attacker/planted.py", "from collude import studies"),
    ("studies", "studies/planted.py", "import collude.participant.driver"),
    ("studies", "studies/game/planted.py", "from collude.analyst import driver"),
    ("inside-a-role", "participant/session.py", "import collude.participant.driver"),
    ("inside-a-role", "participant/r1_anchor.py", "import collude.participant.session"),
    ("inside-a-role", "analyst/r3_upload.py", "import collude.analyst.driver"),
    ("inside-a-role", "analyst/session.py", "import collude.analyst.driver"),
    ("inside-a-role", "analyst/session.py", "import collude.analyst.service"),
    ("pure", "common/geometry/planted.py", "import collude.common.net"),
    ("pure", "common/protocol/planted.py", "import collude.common.data"),
    ("pure", "common/geometry/planted.py", "import collude.common.training"),
    ("pure", "codef/risk/planted.py", "import collude.common.net"),
    ("pure", "codef/secagg/planted.py", "import collude.common.net"),
    ("secagg-sides", "codef/secagg/client/core.py", "import collude.codef.secagg.server"),
    ("wire", "participant/session.py", "import collude.wire.v1.mail_pb2"),
    ("wire", "analyst/driver.py", "from collude.wire.v1 import mail_pb2"),
    ("wire", "common/protocol/planted.py", "import google.protobuf"),
    ("grpc", "participant/r3_upload.py", "import grpc"),
    ("grpc", "analyst/session.py", "from grpc import aio"),
    ("grpc", "common/protocol/planted.py", "import grpc.aio"),
    ("grpc", "runtime/planted.py", "import grpc"),
    ("torch", "participant/planted.py", "import torch"),
    ("torch", "analyst/planted.py", "from torch import nn"),
    ("torch", "common/geometry/planted.py", "def late():\n    import torch"),
    ("io", "common/protocol/planted.py", "import asyncio"),
    ("io", "common/geometry/planted.py", "import threading"),
    ("io", "common/planted.py", "import socket"),
    ("io", "participant/r1_anchor.py", "import time"),
    ("io", "participant/session.py", "from asyncio import sleep"),
    ("io", "analyst/r3_upload.py", "from time import monotonic"),
    ("io", "analyst/session.py", "import socket"),
    ("io", "attacker/planted.py", "import subprocess"),
    ("random", "common/protocol/planted.py", "import random"),
    ("random", "participant/session.py", "from random import gauss"),
    ("random", "runtime/planted.py", "import secrets"),
]

BARE_IMPORTS = [
    "import common.errors",
    "from participant import mechanisms",
    "from analyst.alignment import align_spectral",
    "import attacker",
    "from codef import risk",
    "def late():\n    import runtime.cli",
    "import random",
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in COPIED:
        shutil.copytree(ROOT / folder, copy / folder, symlinks=True, ignore=ignored)
    for name in CONFIGURATION:
        shutil.copy(ROOT / name, copy / name)
    return copy


@contextmanager
def planted(file: Path, line: str) -> Iterator[None]:
    before = file.read_bytes() if file.exists() else None
    file.write_text(f"{(before or b'').decode()}\n{line}\n", encoding="utf-8")
    try:
        yield
    finally:
        file.unlink() if before is None else file.write_bytes(before)


def lint(tree: Path) -> tuple[set[str], str]:
    """Return the names of the broken contracts, and all that was printed."""
    installed = [path for path in sys.path if (Path(path) / "collude").is_dir()]
    command = [sys.executable, "-c", LINT, str(tree / "src"), *installed]
    run = run_in(tree, command)
    output = run.stdout + run.stderr
    assert re.search(r"Contracts: \d+ kept, \d+ broken", output), output
    broken = set(re.findall(r"^(.*) BROKEN", output, flags=re.MULTILINE))
    assert run.returncode == bool(broken)
    return broken, output


def contracts() -> dict[str, str]:
    """Return the name of each contract by its key."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter", encoding="utf-8")
    prefix = "importlinter:contract:"
    return {
        section.removeprefix(prefix): parser[section]["name"]
        for section in parser.sections()
        if section.startswith(prefix)
    }


def test_every_contract_is_broken_at_least_once() -> None:
    assert {key for key, _, _ in BREACHES} == set(contracts())


@pytest.mark.parametrize(("key", "file", "line"), BREACHES)
def test_a_breach_is_caught(tree: Path, key: str, file: str, line: str) -> None:
    with planted(tree / file, line):
        broken, output = lint(tree)
    assert contracts()[key] in broken, output


def test_the_tree_as_it_is_keeps_every_contract(tree: Path) -> None:
    broken, output = lint(tree)
    assert not broken, output


@pytest.mark.parametrize("line", BARE_IMPORTS)
def test_ruff_refuses_a_bare_import(tree: Path, line: str) -> None:
    with planted(tree / "common" / "planted.py", line):
        run = ruff(tree)
    assert run.returncode == 1
    assert run.stdout.count("is banned") == 1, run.stdout


def test_ruff_finds_no_bare_import_in_the_tree_as_it_is(tree: Path) -> None:
    run = ruff(tree)
    assert run.returncode == 0, run.stdout


def ruff(tree: Path) -> subprocess.CompletedProcess[str]:
    options = ["--select", "TID251", "--no-cache", "--output-format", "concise"]
    return run_in(tree, [sys.executable, "-m", "ruff", "check", *options, "."])


def run_in(tree: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    wide = os.environ | {"COLUMNS": "200"}
    return subprocess.run(
        command, check=False, cwd=tree, env=wide, capture_output=True, text=True, encoding="utf-8"
    )
