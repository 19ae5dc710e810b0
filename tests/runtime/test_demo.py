"""The demo: four methods, one coalition, one report; once by the command itself."""

import json

import pytest
from testkit.command import collude
from testkit.shared import once

from collude.runtime.demo import ATTACKS, METHODS, DemoOptions, demo_scenario, label, run_demo
from collude.runtime.rundir import RunDirectory

RUNS = ["local", "c-gdp", "naa-gdp-s0.4", "i-gdp"]


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


@pytest.mark.processes
class TestQuickDemo:
    def test_the_runs_stand_in_their_order(self, demo, results) -> None:
        assert [run["run"] for run in results["runs"]] == RUNS
        assert {r.root.name for r in RunDirectory(demo / "demo").runs()} == set(RUNS)
        assert RunDirectory(demo / "demo").results() == results

    def test_the_main_run_went_over_the_network(self, demo) -> None:
        runtimes = {
            r.root.name: r.manifest()["runtime"] for r in RunDirectory(demo / "demo").runs()
        }
        assert runtimes == dict.fromkeys(RUNS, "inprocess") | {"naa-gdp-s0.4": "processes"}

    def test_colluders_break_one_method_and_not_the_others(self, results) -> None:
        runs = {run["run"]: run for run in results["runs"]}
        assert runs["c-gdp"]["attacks"]["leakage"]["centred_relative"] < 1e-9
        assert 0.01 < runs["naa-gdp-s0.4"]["attacks"]["leakage"]["centred_relative"] < 0.9
        assert runs["i-gdp"]["attacks"]["attacks"] == []
        assert runs["local"]["attacks"] is None

    def test_utility_orders_the_methods_that_share(self, results) -> None:
        value = {run["run"]: run["utility"]["value"] for run in results["runs"]}
        assert value["c-gdp"] > value["i-gdp"]
        assert value["naa-gdp-s0.4"] > value["i-gdp"]

    def test_one_report_shows_all_runs(self, demo) -> None:
        text = (demo / "demo" / "report.html").read_text()
        for method in METHODS:
            assert method in text.lower()
        assert "<img" in text

    def test_it_stops_before_writing_over_an_earlier_demo(self, demo, results) -> None:
        before = (demo / "demo" / "results.json").read_bytes()
        said = collude("demo", "--quick", "--out", demo / "demo", "--json")
        assert (said.code, said.json["error"]["code"]) == (2, "E-OUT-EXISTS")
        assert (demo / "demo" / "results.json").read_bytes() == before

    def test_a_run_of_it_can_be_attacked_and_the_whole_cannot(self, demo, results) -> None:
        inner = demo / "demo" / "runs" / "naa-gdp-s0.4"
        assert collude("attack", inner, "--json").json == results["runs"][2]["attacks"]
        said = collude("attack", demo / "demo", "--json")
        assert (said.code, said.json["error"]["code"]) == (2, "E-RUN-DIR")


class Interrupted:
    """Ctrl-C in the second run."""

    def run(self, name: str) -> None:
        if name == RUNS[1]:
            raise KeyboardInterrupt

    def step(self, text: str) -> None:
        pass


def test_an_interrupt_leaves_the_runs_that_were_made(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("collude.runtime.demo.OVER_THE_NETWORK", "none of them")
    with pytest.raises(KeyboardInterrupt):
        run_demo(DemoOptions(tmp_path / "demo", quick=True), Interrupted())
    demo = RunDirectory.open(tmp_path / "demo")
    assert demo.status().state == "interrupted"
    (first,) = demo.runs()
    assert (first.root.name, first.status().state) == (RUNS[0], "finished")
    assert collude("report", demo.root).code == 0


def test_its_scenario_comes_with_the_package() -> None:
    scenario = demo_scenario()
    assert scenario.simulated
    assert label(scenario) == "naa-gdp-s0.4"
    assert set(scenario.collusion.attacks) <= set(ATTACKS)
