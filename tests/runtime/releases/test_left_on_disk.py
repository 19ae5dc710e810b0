"""What a run of silos leaves for auditors and readers: ledgers without counts, limits in words."""

import subprocess
import sys
from pathlib import Path

import pytest
from testkit.shared import once
from testkit.small_release import POLICIES, run_small, scenario

from collude.codef.period.planned import settings_of
from collude.codef.risk import largest_safe_count
from collude.runtime.releases.results import limit_of
from collude.runtime.rundir import RunDirectory

AUDIT = Path(__file__).parents[2] / "independent" / "ledger_audit.py"


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunDirectory:
    folder = once(tmp_path_factory, "small-release", lambda place: run_small(place / "run"))
    return RunDirectory(folder / "run")


def audited(path):
    command = [sys.executable, "-I", str(AUDIT), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_each_period_leaves_a_ledger_that_anybody_can_audit(run) -> None:
    for number, period in enumerate(run.results()["codef"]["policies"]):
        ledger = period["ledger"]
        said = audited(run.party("coordinator") / f"ledger-{number}.jsonl")
        assert said.stdout.strip() == f"{ledger['entries']} entries, head {ledger['head']}"
        assert ledger["entries"] == 5 * 3


def test_everybody_signed_every_head_of_it(run) -> None:
    text = (run.party("coordinator") / "ledger-0.jsonl").read_text()
    assert text.count('"signer"') == (5 + 1) * 3


def test_an_altered_ledger_fails_the_audit(run, tmp_path) -> None:
    lines = (run.party("coordinator") / "ledger-0.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "short.jsonl").write_text("".join(lines[:3] + lines[4:]))
    assert audited(tmp_path / "short.jsonl").returncode != 0


@pytest.mark.parametrize("policy", POLICIES)
def test_the_limit_is_of_the_policy_and_the_risk_beside_it_of_the_scenario(policy) -> None:
    (settings,) = settings_of(scenario(codef={"policies": [policy]}))
    limit = limit_of(settings)
    assert limit["risk"] == 0.2
    assert limit["safe_at_risk"] == largest_safe_count(30, 2.0, 0.2)
    given = {name for name in ("safe_slots", "budget", "thresholds") if limit[name] is not None}
    assert (
        given
        == {
            "paper": {"budget", "thresholds"},
            "information": {"budget"},
            "success": {"safe_slots"},
        }[policy]
    )


def test_no_count_is_safe_where_a_guess_exceeds_the_risk() -> None:
    (settings,) = settings_of(scenario(codef={"policies": ["paper"], "max_success": 0.01}))
    assert limit_of(settings)["safe_at_risk"] is None
