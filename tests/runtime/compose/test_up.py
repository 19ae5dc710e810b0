"""What somebody with Docker does: make a site, `docker compose up` in it, open the report."""

import json
import subprocess

import pytest
from testkit.command import QUICKSTART, collude
from testkit.quick import quickstart

from collude.common.ids import ANALYST, ATTACKER
from collude.runtime.compose.validate import findings
from collude.runtime.runner import Options, run_scenario

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(600)]

PARTICIPANTS = [f"participant-{index}" for index in range(3)]
PARTIES = [ANALYST, *PARTICIPANTS, ATTACKER]
V2, V1 = ("docker", "compose"), ("docker-compose",)


def answers(words) -> bool:
    try:
        done = subprocess.run([*words, "version"], check=False, capture_output=True)
    except OSError:
        return False
    return done.returncode == 0


@pytest.fixture(params=[V2, V1], ids=["v2", "v1"])
def compose(request, engine, tmp_path):
    """Compose of one generation in a site, and what it leaves taken away afterwards."""
    words = request.param
    if not answers(words):
        pytest.skip(f"{' '.join(words)} is not installed")
    site = tmp_path / "site"

    def run(*more):
        return subprocess.run(
            [*words, *more], check=False, cwd=site, capture_output=True, text=True
        )

    yield site, run
    run("down", "--volumes")


def exit_codes(run) -> dict[str, int]:
    """Return service -> exit code, as the engine remembers them."""
    ids = run("ps", "-a", "-q").stdout.split()
    told = json.loads(subprocess.run(
        ["docker", "inspect", *ids], check=True, capture_output=True, text=True
    ).stdout)  # fmt: skip
    return {each["Config"]["Labels"]["com.docker.compose.service"]: each["State"]["ExitCode"]
            for each in told}  # fmt: skip


def test_the_three_commands(compose, tmp_path) -> None:
    site, run = compose
    made = collude("compose", QUICKSTART, "--out", site)
    assert made.code == 0, made.err
    up = run("up")
    assert up.returncode == 0, up.stderr
    assert exit_codes(run) == dict.fromkeys([*PARTIES, "report"], 0)
    assert "One colluded." in (site / "run" / "report.html").read_text()
    options = Options(tmp_path / "alone", compare=False, report=False)
    alone = run_scenario(quickstart(), options)
    results = json.loads((site / "run" / "results.json").read_text())
    assert results["transcript_digest"] == alone["transcript_digest"]
    assert (
        results["attacks"]
        == json.loads((tmp_path / "alone" / "results.json").read_text())["attacks"]
    )
    assert findings(site) == []
