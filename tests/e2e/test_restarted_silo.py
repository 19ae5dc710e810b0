"""A silo that is killed and started again, in the middle of a period: it takes no part any more.

With the same keys under the same sessions it could open both secrets of another silo, or mask
other counts with the masks it had used before. It knows from its disk that it may not.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter

import pytest
import tomli_w
from testkit.releases import release

from collude.common.ids import COORDINATOR, Round
from collude.common.scenario.document import as_document
from collude.common.transcript import read_transcript
from collude.runtime.processes import ONE_THREAD
from collude.runtime.rundir import RunDirectory

SILO = "participant-1"
SOON_S = 60.0

pytestmark = [pytest.mark.slow, pytest.mark.processes]


def killed_processes(config):
    """Whether the silo's process has been there and is gone."""
    seen = False
    end = time.monotonic() + SOON_S
    while time.monotonic() < end:
        alive = any(str(config) in line for line in command_lines())
        if seen and not alive:
            return True
        seen = seen or alive
        time.sleep(0.02)
    return False


def command_lines():
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                yield file.read().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue


@pytest.mark.parametrize("where", ["codef_masked_input", "codef_unmask"])
def test_it_refuses_and_the_others_go_on(tmp_path, where):
    scenario = release(
        f'faults.crash={{{SILO}="{where}"}}', "network.deadline_s=4", silos=5, epochs=3
    )
    file, out = tmp_path / "scenario.toml", tmp_path / "run"
    file.write_text(tomli_w.dumps(as_document(scenario)))
    command = [sys.executable, "-m", "collude.runtime.cli", "run", str(file), "--json"]
    running = subprocess.Popen(
        [*command, "--runtime", "processes", "--out", str(out)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    config = out / "parties" / SILO / "party.toml"
    assert killed_processes(config)
    again = subprocess.run(
        [sys.executable, "-m", "collude.runtime.cli", "participant", "--config", str(config)],
        capture_output=True, text=True, check=False, timeout=SOON_S, env=os.environ | ONE_THREAD,
    )  # fmt: skip
    assert running.poll() is None, "the others were still at work when it came back"
    results = json.loads(running.communicate(timeout=2 * SOON_S)[0])

    assert running.returncode == 0
    assert again.returncode == 3
    assert "E-SESSION-USED" in again.stderr
    assert set(results["codef"]["left"]) == {SILO}
    (period,) = results["codef"]["policies"]
    assert [SILO in epoch["counted"] for epoch in period["epochs"]] == [
        True,
        where == "codef_unmask",
        False,
        False,
    ]
    once_each(RunDirectory(out))


def once_each(run):
    """In every session each silo masked once, and unmasked once."""
    seen = Counter(
        (entry.session, entry.round, entry.sender)
        for entry in read_transcript(run.transcripts, COORDINATOR)
        if entry.round in {Round.MASKED_INPUT, Round.UNMASK}
    )
    assert seen
    assert set(seen.values()) == {1}
