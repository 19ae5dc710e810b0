"""What goes wrong between processes: the others end in time, and say whose fault it is."""

import json
import signal
import socket

import pytest
from testkit.by_hand import Consortium
from testkit.command import QUICKSTART, collude, program
from testkit.watching import Hook, ending, has_entered, has_received, living, start, until

from collude.common.ids import ANALYST, ATTACKER
from collude.runtime.rundir import RunDirectory

pytestmark = pytest.mark.processes

TWO = {"participants = 3": "participants = 2", "deadline_s = 30": "deadline_s = 4",
       'colluders = ["participant-0"]': "colluders = []"}  # fmt: skip
DEADLINES = (5, 20)
"""Participants start while the analyst waits for them: a busy machine needs the second."""
WAITING, TOO_LATE = "waiting", "too late"
STARTED_S = 60.0
"""Seconds for a process to start on a busy machine; what comes after is in deadlines."""


@pytest.fixture
def consortium(tmp_path):
    made = Consortium(tmp_path / "consortium", participants=2, changes=TWO)
    made.give_records()
    yield made
    made.close()


@pytest.fixture
def launch():
    """Start commands, and end what still lives after the test."""
    started = []

    def inner(*words, env):
        started.append(start(*words, env=env))
        return started[-1]

    yield inner
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def runs(launch, tmp_path):
    """Start `collude run` over the network, with some parties held back."""

    def inner(*words, hold=(), name="run"):
        hook, run = Hook(tmp_path / f"hook-{name}"), RunDirectory(tmp_path / name)
        process = launch(
            "run", QUICKSTART, "--runtime", "processes", "--no-compare", "--out", run.root,
            "--json", *words, env=hook.environ(hold),
        )  # fmt: skip
        return process, run, hook

    return inner


def party_of(outcome) -> str:
    return outcome["error"]["party"]


def has_joined(run, party) -> bool:
    return has_received(run.logs / f"{ANALYST}.jsonl", "r0_join", party)


def until_joined(run, *parties, process) -> None:
    for name in parties:
        until(lambda name=name: has_joined(run, name), f"{name} has joined", process=process)


def until_two_wait_for_the_third(runs):
    """Return a run in which participant-1 is held back and the two others have joined in time."""
    for deadline in DEADLINES:
        words = ("--set", f"network.deadline_s={deadline}")
        process, run, hook = runs(*words, hold=["participant-1"], name=f"run-{deadline}")
        if until(lambda run=run: _two_wait(run), "two have joined, or it is too late") == WAITING:
            return process, run, hook
        process.kill()
    raise AssertionError("two participants did not even join")


def _two_wait(run) -> str:
    """Return where the run stands: nothing as long as neither is so."""
    if has_entered(run.logs / f"{ANALYST}.jsonl", "aborted"):
        return TOO_LATE
    return WAITING if all(has_joined(run, p) for p in ("participant-0", "participant-2")) else ""


def until_over(run, process) -> None:
    left = run.root / "parties" / "participant-2" / "outcome.json"
    until(left.exists, "the session is over", process=process)


# --- a party that never comes, and one that nobody lets in


def test_a_party_of_another_ca_is_kept_out_and_the_others_name_it(consortium, tmp_path) -> None:
    stranger = Consortium(tmp_path / "other", 2, TWO, consortium.ports)
    stranger.give_records()
    consortium.swap("participant-1", stranger)
    parties = (ANALYST, *consortium.participants)
    hook = consortium.start_held(*parties)
    for party in parties:
        hook.release(party)
    said = {party: consortium.ended(party) for party in parties}
    assert {party: s.code for party, s in said.items()} == dict.fromkeys(said, 3)
    errors = {party: s.json["error"] for party, s in said.items()}
    assert (errors[ANALYST]["code"], errors[ANALYST]["party"]) == ("E-DEADLINE", "participant-1")
    assert errors["participant-0"]["party"] == "participant-1"
    assert (errors["participant-1"]["code"], errors["participant-1"]["party"]) == (
        "E-IDENTITY", ANALYST,
    )  # fmt: skip


def test_a_run_whose_participant_dies_before_it_comes_ends_and_names_it(runs) -> None:
    process, run, hook = until_two_wait_for_the_third(runs)
    hook.kill("participant-1")
    said = ending(process, STARTED_S)
    assert said.code == 3
    error = said.json["error"]
    assert (error["code"], error["party"]) == ("E-PARTY", "participant-1")
    assert "signal 9" in error["got"]
    status = run.status()
    assert (status.state, "participant-1" in status.detail) == ("failed", True)
    for party in (ANALYST, "participant-0", "participant-2"):
        assert party_of(json.loads((run.party(party) / "outcome.json").read_text())) == (
            "participant-1"
        )
    assert living(run.root) == []
    assert not (run.root / "results.json").exists()


# --- killed in the middle


def test_participant_killed_in_the_middle_of_a_pair_ends_the_session(consortium) -> None:
    hook = consortium.start_held(ANALYST, *consortium.participants)
    hook.release(ANALYST)
    hook.release("participant-0")
    consortium.until_received("r0_join", "participant-0")
    consortium.kill("participant-0")
    hook.release("participant-1")
    for party in (ANALYST, "participant-1"):
        said = consortium.ended(party)
        assert (said.code, said.json["error"]["party"]) == (3, "participant-0")
        assert "r1_anchor_commit" in said.json["error"]["reason"]


def test_a_run_goes_on_without_a_participant_that_is_killed_in_the_anchor_round(runs) -> None:
    process, _, hook = until_two_wait_for_the_third(runs)
    hook.kill("participant-2")
    hook.release("participant-1")
    said = ending(process, STARTED_S)
    assert said.code == 0, said.err
    assert any("participant-2" in warning for warning in said.json["warnings"])
    assert [a["name"] for a in said.json["attacks"]["attacks"]]
    assert said.json["utility"]["value"] > 0.9


def test_participants_name_an_analyst_that_is_killed(consortium) -> None:
    hook = consortium.start_held(ANALYST, "participant-0")
    hook.release(ANALYST)
    hook.release("participant-0")
    consortium.until_received("r0_join", "participant-0")
    consortium.kill(ANALYST)
    said = consortium.ended("participant-0")
    assert (said.code, said.json["error"]["party"]) == (3, ANALYST)
    assert said.json["error"]["code"] in {"E-UNREACHABLE", "E-DEADLINE"}


# --- Ctrl-C, and worse


def test_ctrl_c_before_anything_is_made(runs) -> None:
    process, run, hook = runs()
    until(lambda: list(hook.notes()), "Python has started")
    process.send_signal(signal.SIGINT)
    said = ending(process, STARTED_S)
    # Python itself may still be loading: then it ends with 1 before any of our code runs.
    still_loading = said.code == 1 and "Could not import runpy" in said.err
    assert still_loading or said.code in {130, -signal.SIGINT}
    assert not run.root.exists() or run.status().state == "interrupted"


def test_ctrl_c_while_parties_wait_leaves_a_readable_directory_and_no_orphan(runs) -> None:
    process, run, _ = runs(hold=["participant-1"])
    until_joined(run, "participant-0", "participant-2", process=process)
    process.send_signal(signal.SIGINT)
    said = ending(process, STARTED_S)
    assert (said.code, said.json["error"]["code"]) == (130, "E-INTERRUPTED")
    assert living(run.root) == []
    assert run.status().state == "interrupted"
    for party in (ANALYST, "participant-0", "participant-2"):
        outcome = json.loads((run.party(party) / "outcome.json").read_text())
        # Interrupted itself, or told first that the analyst was.
        assert outcome["state"] in {"interrupted", "failed"}
        assert outcome["error"]["reason"] == "was interrupted"
    assert collude("report", run.root).code == 0
    refused = collude("attack", run.root, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "E-RUN-DIR")


def joined_run(demo):
    return next((run for run in demo.runs() if has_joined(run, "participant-0")), None)


def test_ctrl_c_in_a_demo_leaves_it_readable_and_no_orphan(launch, tmp_path) -> None:
    hook, demo = Hook(tmp_path / "hook"), RunDirectory(tmp_path / "demo")
    process = launch("demo", "--out", demo.root, env=hook.environ(hold=["participant-1"]))
    run = until(lambda: joined_run(demo), "a run over the network waits", process=process)
    process.send_signal(signal.SIGINT)
    assert ending(process, STARTED_S).code == 130
    assert living(demo.root) == []
    assert (demo.status().state, run.status().state) == ("interrupted", "interrupted")
    assert collude("report", demo.root).code == 0


def test_ctrl_c_before_the_attack_keeps_what_there_is(runs) -> None:
    process, run, hook = runs(hold=[ATTACKER])
    until_over(run, process)
    until(lambda: hook.pid(ATTACKER), "the attacker has started")
    process.send_signal(signal.SIGINT)
    assert ending(process, STARTED_S).code == 130
    assert living(run.root) == []
    assert run.status().state == "interrupted"
    for party in (ANALYST, "participant-0"):
        assert (run.party(party) / "outcome.json").exists()
    later = collude("attack", run.root, "--json")
    assert later.code == 0, later.err
    assert [a["relative"] for a in later.json["attacks"]] == [None, None]  # nobody wrote the truth


def test_parties_end_by_themselves_when_whoever_started_them_is_killed(runs) -> None:
    process, run, _ = runs(hold=["participant-1"])
    until_joined(run, "participant-0", "participant-2", process=process)
    process.kill()
    until(lambda: not living(run.root), "the parties have ended", STARTED_S)
    assert run.status().state == "running"
    for party in (ANALYST, "participant-0", "participant-2"):
        outcome = json.loads((run.party(party) / "outcome.json").read_text())
        assert outcome["state"] == "interrupted"
    assert collude("report", run.root).code == 0


def test_a_party_by_hand_says_that_it_was_interrupted(consortium) -> None:
    consortium.start(ANALYST)
    consortium.until_listening()
    consortium.kill(ANALYST, signal.SIGINT)
    said = consortium.ended(ANALYST)
    assert (said.code, said.json["state"]) == (130, "interrupted")
    assert consortium.outcome(ANALYST)["state"] == "interrupted"


# --- ports and certificates


@pytest.mark.parametrize("key", ["listen", "disclosure_listen"])
def test_a_port_in_use_is_named(consortium, key) -> None:
    text = consortium.config(ANALYST).read_text()
    address = next(line for line in text.splitlines() if line.startswith(f"{key} = "))
    host, port = address.split('"')[1].rsplit(":", 1)
    with socket.create_server((host, int(port))):
        said = program("analyst", "--config", consortium.config(ANALYST), "--json")
    assert said.code == 2
    assert said.json["error"]["code"] == "E-LISTEN"
    assert said.json["error"]["got"] == f"{host}:{port}"
    assert consortium.outcome(ANALYST)["state"] == "failed"


def test_a_participant_that_discloses_nothing_needs_no_port(consortium) -> None:
    """Only the analyst and colluders serve; a taken port is none of the others' business."""
    scenario = consortium.folder / "scenario.toml"
    scenario.write_text(scenario.read_text().replace("deadline_s = 4", "deadline_s = 0.5"))
    text = consortium.config("participant-1").read_text()
    port = int(next(li for li in text.splitlines() if li.startswith("listen")).split(":")[1][:-1])
    with socket.create_server(("127.0.0.1", port)):
        said = program("participant", "--config", consortium.config("participant-1"), "--json")
    assert said.json["error"]["code"] == "E-UNREACHABLE"
    assert said.json["error"]["party"] == ANALYST
