"""What stays unloaded: a session needs no network, a participant no torch, help nothing heavy."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRAINING = {"torch", "sklearn"}
NETWORK = {"grpc", "google.protobuf"}
DRAWING = {"matplotlib"}
HEAVY = {*TRAINING, "grpc", *DRAWING, "scipy.stats"}

# module -> what importing it must not load
LIGHT = {
    "collude.common.geometry": {*HEAVY, *NETWORK},
    "collude.common.protocol.mailbox": {*TRAINING, *DRAWING, "grpc"},
    "collude.common.scenario": {*HEAVY, *NETWORK},
    "collude.participant.session": {*TRAINING, *DRAWING, "grpc"},
    "collude.analyst.session": {*TRAINING, *DRAWING, "grpc"},
    "collude.participant.driver": {*TRAINING, *DRAWING},
    "collude.runtime.cli.app": HEAVY,
}

HELP = """
import contextlib, io
sys.argv = ["collude", "--help"]
from collude.runtime.cli.app import main
with contextlib.redirect_stdout(io.StringIO()) as help, contextlib.suppress(SystemExit):
    main()
assert "attack" in help.getvalue()
"""


def loaded_by(code: str) -> set[str]:
    report = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", report], check=False, cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout))


@pytest.mark.parametrize("module", LIGHT)
def test_importing_stays_light(module: str) -> None:
    assert not loaded_by(f"import {module}") & LIGHT[module]


def test_help_loads_nothing_heavy() -> None:
    assert not loaded_by(HELP) & HEAVY


def test_the_check_sees_what_is_loaded() -> None:
    assert loaded_by("import grpc, scipy.stats") >= {"grpc", "scipy.stats"}
