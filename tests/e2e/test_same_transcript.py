"""One scenario, one seed: the same transcript in every runtime, and whenever it is run."""

import pytest
from testkit.command import QUICKSTART, collude

from collude.common.scenario import load_scenario
from collude.runtime.rundir import RunDirectory
from collude.runtime.runner import Options, run_scenario

DIGESTS = ("transcript_digest", "results_digest")


def digests(results):
    return tuple(results[name] for name in DIGESTS)


@pytest.fixture
def run(tmp_path):
    def inner(name, seed=7, overrides=()):
        scenario = load_scenario(QUICKSTART, overrides, seed)
        options = Options(tmp_path / name, compare=False, report=False)
        return digests(run_scenario(scenario, options))

    return inner


@pytest.mark.processes
def test_five_processes_and_one_give_the_same(watched, alone) -> None:
    assert digests(watched.run.results()) == digests(alone.results())


@pytest.mark.processes
def test_the_network_and_memory_make_the_same_reconstructions(watched, alone) -> None:
    for attack in ("procrustes", "centred-procrustes"):
        assert (watched.run.reconstruction(attack) == alone.reconstruction(attack)).all()


def test_a_repetition_gives_the_same_and_another_seed_another(run) -> None:
    assert run("first") == run("second")
    assert not {*run("third", seed=8)} & {*run("fourth")}


def test_how_long_parties_wait_changes_nothing(run) -> None:
    assert run("usual") == run("short", overrides=["network.deadline_s=3"])


@pytest.mark.parametrize(
    "override",
    ["mechanism.anchor_noise=0.0500001", "mechanism.anchor_rows=66", "data.participants=4",
     "collusion.disclose=['records']", "scenario.name=other"],
)  # fmt: skip
def test_whatever_defines_the_run_changes_the_transcript(run, override) -> None:
    assert run("usual")[0] != run("other", overrides=[override])[0]


def test_manifest_results_and_stdout_name_one_digest(tmp_path) -> None:
    said = collude("run", QUICKSTART, "--out", tmp_path / "run", "--json", "--no-compare")
    run = RunDirectory.open(tmp_path / "run")
    digest = run.results()["transcript_digest"]
    assert said.json["transcript_digest"] == run.manifest()["transcript_digest"] == digest
    assert len(bytes.fromhex(digest)) == 32
