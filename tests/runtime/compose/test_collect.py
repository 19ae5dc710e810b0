"""From what parties left to a run directory: the same as other runtimes, and who is silent."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time

import pytest
from testkit.command import collude
from testkit.sites import NAMES_ONLY, make_site
from testkit.small_release import run_small
from testkit.small_release import scenario as small_scenario

from collude.common.ids import ANALYST, ATTACKER
from collude.common.outcome import FAILED, FINISHED, INTERRUPTED, Outcome, write_outcome
from collude.runtime.compose.collect import codes_of, exit_code, gather, until_over
from collude.runtime.compose.layout import Site
from collude.runtime.compose.site import write_site
from collude.runtime.federation import prepare_releases
from collude.runtime.rundir import RunDirectory

P0, P1, P2 = (f"participant-{index}" for index in range(3))
PARTIES = (ANALYST, P0, P1, P2, ATTACKER)


def filled(root, run) -> Site:
    """Put into a site what the same run in one process left: as if its parties had ended."""
    made = Site(root)
    for party in made.parties:
        state = made.state(party)
        shutil.copytree(run.root / "parties" / party, state, dirs_exist_ok=True)
        (state / "transcripts").mkdir(mode=0o700)
        for path in run.transcripts.iterdir():
            if path.name.removesuffix(".jsonl") == party:
                copy = shutil.copytree if path.is_dir() else shutil.copyfile
                copy(path, state / "transcripts" / path.name)
        if (run.logs / f"{party}.jsonl").exists():
            shutil.copyfile(run.logs / f"{party}.jsonl", state / "log.jsonl")
    return made


@pytest.fixture
def ended(site, finished) -> Site:
    """The quickstart's site after its run."""
    return filled(site, finished)


def files(root):
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_everything_goes_where_other_runtimes_put_it(ended, finished, tmp_path) -> None:
    run = RunDirectory.create(tmp_path / "run")
    gather(ended, run)
    for folder in ("transcripts", "logs"):
        assert files(run.root / folder) == files(finished.root / folder)
    for party in PARTIES:
        assert files(run.party(party)) == files(finished.party(party))
        assert run.party(party).stat().st_mode & 0o077 == 0


def test_collecting_gives_the_results_of_the_same_run(ended, finished) -> None:
    said = collude("collect", ended.root, "--json")
    assert said.code == 0, said.err
    known = finished.results()
    for name in ("transcript_digest", "attacks", "alignment"):
        assert said.json[name] == known[name]
    assert said.json["utility"]["value"] == known["utility"]["value"]
    assert said.json["utility"]["baselines"]
    assert (ended.run / "report.html").is_file()
    assert RunDirectory(ended.run).manifest()["runtime"] == "compose"


def test_collecting_again_replaces_the_run_and_nothing_else(ended) -> None:
    for _ in range(2):
        assert collude("collect", ended.root).code == 0
    assert (ended.state(P1) / "outcome.json").exists()


def test_a_party_without_an_outcome_is_named_in_the_report(ended) -> None:
    (ended.state(P2) / "outcome.json").unlink()
    said = collude("collect", ended.root, "--json")
    assert said.code == 3
    assert (said.json["error"]["code"], said.json["error"]["party"]) == ("E-PARTY", P2)
    assert f"{P2}: died without a word" in (ended.run / "report.html").read_text()


def test_a_run_of_answers_about_persons_is_collected_too(tmp_path) -> None:
    run_small(tmp_path / "run", report=False)
    write_site(prepare_releases(small_scenario()), tmp_path / "site", NAMES_ONLY)
    made = filled(tmp_path / "site", RunDirectory(tmp_path / "run"))
    assert collude("compose", made.root, "--check").code == 0
    said = collude("collect", made.root)
    assert (said.code, "maximum-likelihood" in said.out) == (0, True), said.err
    known = RunDirectory(tmp_path / "run").results()
    results = RunDirectory(made.run).results()
    for name in ("transcript_digest", "codef"):
        assert results[name] == known[name]


def test_another_folder_is_refused(tmp_path) -> None:
    said = collude("collect", tmp_path, "--json")
    assert (said.code, said.json["error"]["code"]) == (2, "E-RUN-DIR")


@pytest.mark.parametrize(
    ("outcome", "code"),
    [(Outcome(FINISHED), 0), (Outcome(FAILED), 3), (Outcome(INTERRUPTED), 130), (None, 137)],
)
def test_exit_codes_are_those_that_the_documents_name(outcome, code) -> None:
    assert exit_code(outcome) == code


def test_codes_are_read_from_what_is_left(ended) -> None:
    write_outcome(ended.state(P1), Outcome(FAILED))
    assert codes_of(ended) == {ANALYST: 0, P0: 0, P1: 3, P2: 0, ATTACKER: 0}


# --- waiting for the end


def waiting(site, deadline_s):
    thread = threading.Thread(target=until_over, args=(site, deadline_s), daemon=True)
    thread.start()
    return thread


def test_nobody_is_waited_for_when_all_have_ended(ended) -> None:
    until_over(ended, 1e9)


def test_as_long_as_nobody_has_ended_silence_says_nothing(site) -> None:
    thread = waiting(Site(site), 0.01)
    thread.join(1.0)
    assert thread.is_alive()
    for party in PARTIES:
        write_outcome(Site(site).state(party), Outcome(FINISHED))
    thread.join(30)
    assert not thread.is_alive()


def test_who_is_silent_while_others_have_ended_is_not_waited_for(ended) -> None:
    (ended.state(P2) / "outcome.json").unlink()
    thread = waiting(ended, 1e9)
    thread.join(1.0)
    assert thread.is_alive()
    for path in ended.root.rglob("*"):
        if path.name in {"outcome.json", "log.jsonl"}:
            os.utime(path, (0, 0))  # as if all this were long ago
    until_over(ended, 10)
    write_outcome(ended.state(P2), Outcome(FINISHED))
    thread.join(30)


def test_a_word_of_anybody_counts_as_life(ended) -> None:
    (ended.state(P2) / "outcome.json").unlink()
    log = ended.state(P2) / "log.jsonl"
    log.write_text(json.dumps({"event": "alive"}) + "\n")
    os.utime(log, (time.time() + 3600,) * 2)
    thread = waiting(ended, 0.01)
    thread.join(1.0)
    assert thread.is_alive()
    os.utime(log, (0, 0))
    thread.join(30)
    assert not thread.is_alive()


def test_collecting_needs_neither_the_sdk_nor_yaml() -> None:
    code = (
        "import sys, collude.runtime.compose.collect, collude.runtime.runner, "
        "collude.runtime.compose.layout\nprint({'yaml', 'docker'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


def test_a_site_of_others_is_read_by_name(tmp_path) -> None:
    make_site(tmp_path / "site", "data.participants=4")
    assert Site.open(tmp_path / "site").parties == (
        ANALYST, P0, P1, P2, "participant-3", ATTACKER,
    )  # fmt: skip
