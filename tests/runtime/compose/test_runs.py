"""Runs in containers: the same transcript as in one process, and what faults lead to."""

import json
import signal
from functools import partial

import pytest
from testkit.command import QUICKSTART, collude
from testkit.quick import quickstart
from testkit.small_release import run_small
from testkit.small_release import scenario as small_scenario
from testkit.watching import ending, has_entered, has_received, start, until

from collude.common.errors import ColludeError, PartyFailed
from collude.common.ids import ANALYST, ATTACKER, COORDINATOR
from collude.runtime.compose.layout import Site
from collude.runtime.compose.run import SITE, Play
from collude.runtime.rundir import RunDirectory
from collude.runtime.runner import Options, run_scenario

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(400)]

P0, P1, P2 = (f"participant-{index}" for index in range(3))
LATE, VICTIM = P1, P2
"""The session waits for the one; the other, neither colluder nor target, is harmed meanwhile."""
DEADLINE_S = 12
FAULTLESS = {ANALYST: 0, P0: 0, P1: 0, P2: 0, ATTACKER: 0}


class TooSlow(Exception):
    """The session ended before everybody had started."""


class Trial:
    """One run in containers, played by a script, and what it left."""

    def __init__(self, engine, root, play, overrides, deadline_s):
        self.run = RunDirectory(root / f"run-{deadline_s}")
        self.site = Site(self.run.root / SITE)
        self.codes, self.results, self.error = {}, None, None
        self._play = Play(engine.client, engine.images, partial(play, self))
        scenario = quickstart(f"network.deadline_s={deadline_s}", *overrides)
        options = Options(self.run.root, runtime="compose", compare=False, runs=self._runs)
        try:
            self.results = run_scenario(scenario, options)
        except (ColludeError, TooSlow) as error:
            self.error = error

    def _runs(self, federation, run, progress):
        self.codes = self._play.run(federation, run, progress)
        return self.codes

    @property
    def report(self) -> str:
        return self.run.report.read_text()

    def outcome(self, party):
        return json.loads((self.run.party(party) / "outcome.json").read_text())

    def heard(self, round_, *senders):
        """Wait until the analyst has heard of all these in a round."""
        log = self.site.state(ANALYST) / "log.jsonl"
        for sender in senders:
            until(
                lambda s=sender: has_received(log, round_, s) or has_entered(log, "aborted"),
                f"{sender} has sent {round_}",
            )
        if has_entered(log, "aborted"):
            raise TooSlow

    @property
    def too_slow(self) -> bool:
        """Whether the session ended before all had joined, whatever else came of it."""
        log = self.site.state(ANALYST) / "log.jsonl"
        return has_entered(log, "aborted") and not has_entered(log, "r1_anchor_commit")

    def start_but_the_late(self, containers):
        containers.start_all(set(FAULTLESS) - {LATE})
        self.heard("r0_join", P0, VICTIM)


@pytest.fixture
def trial(engine, tmp_path):
    """Play a run, and once more with more time if somebody started too slowly to be there."""

    def made(play, *overrides):
        first = Trial(engine, tmp_path, play, overrides, DEADLINE_S)
        again = partial(Trial, engine, tmp_path, play, overrides, 4 * DEADLINE_S)
        return again() if first.too_slow else first

    return made


def in_one_process(tmp_path):
    scenario = quickstart(f"network.deadline_s={DEADLINE_S}")
    return run_scenario(scenario, Options(tmp_path / "alone", compare=False, report=False))


def test_a_participant_that_is_killed_is_left_out_and_named(trial):
    def play(trial, containers):
        trial.start_but_the_late(containers)
        containers.container(VICTIM).kill()
        containers.start_all([LATE])

    trial = trial(play)
    assert trial.codes == FAULTLESS | {VICTIM: -9}
    assert any(VICTIM in warning for warning in trial.results["warnings"])
    assert VICTIM in trial.report.split("What the runs warned of")[1]
    assert trial.results["attacks"]["target"] == P1


def test_a_participant_that_is_paused_and_resumed_changes_nothing(trial, tmp_path):
    def play(trial, containers):
        trial.start_but_the_late(containers)
        containers.container(VICTIM).pause()
        containers.start_all([LATE])
        trial.heard("r1_anchor_commit", P0, P1)
        containers.container(VICTIM).unpause()

    trial = trial(play)
    assert trial.codes == FAULTLESS
    assert trial.results["transcript_digest"] == in_one_process(tmp_path)["transcript_digest"]


def test_a_participant_that_is_cut_off_ends_by_itself_and_the_others_go_on(trial):
    def play(trial, containers):
        trial.start_but_the_late(containers)
        containers.cut_off(VICTIM)
        containers.start_all([LATE])

    trial = trial(play)
    assert trial.codes == FAULTLESS | {VICTIM: 3}
    assert trial.outcome(VICTIM)["error"]["party"] == ANALYST
    assert trial.outcome(VICTIM)["error"]["code"] in {"E-UNREACHABLE", "E-DEADLINE"}
    assert any(VICTIM in warning for warning in trial.results["warnings"])
    assert VICTIM in trial.report.split("What the runs warned of")[1]


def test_a_participant_that_is_connected_again_takes_part(trial, tmp_path):
    def play(trial, containers):
        trial.start_but_the_late(containers)
        containers.cut_off(VICTIM)
        containers.start_all([LATE])
        trial.heard("r1_anchor_commit", P0, P1)
        containers.reconnect(VICTIM)

    trial = trial(play)
    assert trial.codes == FAULTLESS
    assert trial.results["transcript_digest"] == in_one_process(tmp_path)["transcript_digest"]


def test_an_analyst_that_is_killed_is_named_by_all_and_in_the_report(trial):
    def play(trial, containers):
        trial.start_but_the_late(containers)
        containers.container(ANALYST).kill()

    trial = trial(play)
    assert trial.codes == {ANALYST: -9, P0: 3, VICTIM: 3, ATTACKER: 3}
    assert (trial.error.code, trial.error.party) == ("E-PARTY", ANALYST)
    assert trial.outcome(VICTIM)["error"]["party"] == ANALYST
    assert trial.run.status().state == "failed"
    assert f"{ANALYST}: died without a word" in trial.report


def test_ctrl_c_leaves_a_readable_directory_and_no_container(engine, tmp_path):
    run = RunDirectory(tmp_path / "run")
    words = ("run", QUICKSTART, "--runtime", "compose", "--out", run.root, "--json")
    process = start(*words, env={})
    log = Site(run.root / SITE).state(ANALYST) / "log.jsonl"
    until(lambda: has_entered(log, "r0_join"), "the analyst waits", 300, process)
    process.send_signal(signal.SIGINT)
    said = ending(process)
    assert (said.code, said.json["error"]["code"]) == (130, "E-INTERRUPTED")
    assert run.status().state == "interrupted"
    outcome = json.loads((run.party(ANALYST) / "outcome.json").read_text())
    assert outcome["state"] in {"interrupted", "failed"}
    ours = {"label": "collude.run"}
    assert engine.client.containers.list(all=True, filters=ours) == []
    assert engine.client.networks.list(filters=ours) == []
    assert collude("report", run.root).code == 0


# --- with a coordinator

SILOS = tuple(f"participant-{index}" for index in range(5))
SILENT = SILOS[-1]

COUNTED = (
    "codef.enabled=true", "codef.policy=information", "codef.gamma=0.9", "codef.persons=1350",
    "codef.epochs=1", "codef.epsilon_grid=[8.0, 4.0, 2.0]", "codef.slots_per_lease=2",
    "codef.clip=4.0", "mechanism.method=aa-gdp-noise", "mechanism.anchor_noise=0",
)  # fmt: skip


def test_counted_uploads_are_the_same_as_in_one_process(trial, tmp_path):
    trial = trial(lambda _, containers: containers.start_all(), *COUNTED)
    assert trial.codes == FAULTLESS | {COORDINATOR: 0}
    scenario = quickstart(*COUNTED)
    alone = run_scenario(scenario, Options(tmp_path / "alone", compare=False, report=False))
    assert trial.results["transcript_digest"] == alone["transcript_digest"]


def test_a_coordinator_that_is_killed_during_secure_aggregation_is_named(engine, tmp_path):
    run = RunDirectory(tmp_path / "run")
    site, codes = Site(run.root / SITE), {}

    def script(containers):
        containers.start_all()
        log = site.state(COORDINATOR) / "log.jsonl"
        until(lambda: has_entered(log, "codef_masked_input"), "the silos send masked counts")
        containers.container(COORDINATOR).kill()
        until(lambda: {*SILOS} <= containers.codes().keys(), "the silos have ended", 3 * DEADLINE_S)
        codes.update(containers.wait())

    # A silo falls silent there and the others wait for it: nobody has to be quick.
    crash = {"crash": {SILENT: "codef_masked_input"}}
    scenario = small_scenario(faults=crash, network={"deadline_s": DEADLINE_S})
    play = Play(engine.client, engine.images, script)
    with pytest.raises(PartyFailed) as caught:
        run_scenario(scenario, Options(run.root, runtime="compose", runs=play.run))
    assert caught.value.party == COORDINATOR
    assert "signal 9" in (caught.value.got or "")
    fell_silent = {SILENT: 0}  # as the scenario told it to
    assert codes == dict.fromkeys(SILOS, 3) | fell_silent | {COORDINATOR: -9, ATTACKER: 0}
    for party in set(SILOS) - {SILENT}:
        outcome = json.loads((run.party(party) / "outcome.json").read_text())
        assert outcome["error"]["party"] == COORDINATOR
    assert COORDINATOR in run.status().detail
    assert not run.report.exists() or COORDINATOR in run.report.read_text()


def test_silos_answer_the_querier_alone(engine, tmp_path):
    """Five silos, two networks each: who counts and who asks share none."""
    play = Play(engine.client, engine.images)
    run_small(tmp_path / "alone", report=False)
    options = Options(tmp_path / "run", runtime="compose", report=False, runs=play.run)
    results = run_scenario(small_scenario(), options)
    alone = RunDirectory(tmp_path / "alone").results()
    assert results["transcript_digest"] == alone["transcript_digest"]
