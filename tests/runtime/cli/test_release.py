"""`collude run` and `collude attack` on a scenario in which persons are asked about."""

import pytest
from testkit.command import collude

SCENARIO = """
[scenario]
name = "asked"
seed = 7
[data]
source = "persons"
[codef]
enabled = true
silos = 4
persons = 12
attributes = 2
epochs = 2
policies = ["paper", "success"]
max_success = 0.4
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    (folder / "asked.toml").write_text(SCENARIO)
    said = collude("run", folder / "asked.toml", "--out", folder / "run")
    assert said.code == 0, said.err
    return folder / "run", said


def test_a_run_shows_answers_limits_and_how_often_persons_were_named(run):
    _, said = run
    for word in ("paper", "success", "maximum-likelihood", "guaranteed", "persons over"):
        assert word in said.out
    assert "Utility" not in said.out


def test_a_recorded_run_is_attacked_by_another_attack(run):
    said = collude("attack", run[0], "--attack", "greedy-adaptive", "--json")
    assert said.code == 0, said.err
    paper, success = said.json["periods"]
    assert [a["name"] for a in paper["attacks"]] == ["greedy-adaptive"]
    assert success["policy"] == "success"


def test_the_scenario_s_attack_says_again_what_it_said(run):
    results = collude("attack", run[0], "--json").json["periods"]
    shown = collude("attack", run[0])
    assert shown.code == 0
    for period in results:
        assert f"{period['attacks'][0]['success']:.3f}" in shown.out
        assert f"{period['attacks'][0]['success']:.3f}" in run[1].out


def test_what_the_attack_lacks_is_said(run):
    said = collude("attack", run[0], "--attack", "xor-pair")
    assert said.code == 0
    assert "xor-pair cannot run, which proves no safety" in said.out
    assert "┌" not in said.out, "a table without rows"
    assert "Guaranteed" not in said.out, "words about numbers that are not there"


def test_an_attack_with_its_own_way_of_asking_is_told_that_others_asked(run):
    said = collude("attack", run[0], "--attack", "greedy-adaptive")
    assert "the answers are those that everybody asked for" in said.err


def test_the_bound_for_one_person_s_answers_is_not_shown_as_one_of_who_looks_at_all(run):
    said = collude("attack", run[0], "--attack", "one-to-one", "--attack", "maximum-likelihood")
    rows = " ".join(said.out.replace("│", " ").split())
    assert rows.count("but not of this attack") == 2, "two periods, one such attack"


@pytest.mark.parametrize(
    ("options", "code", "word"),
    [
        (["--attack", "procrustes"], 2, "E-PLUGIN-UNKNOWN"),
        (["--colluder", "participant-0"], 2, "E-SCENARIO"),
        (["--target", "participant-0"], 2, "E-SCENARIO"),
        (["--save"], 2, "expected  --attack or --json alone"),
        (["--save"], 2, "field     --save"),
        (["--target", "participant-0", "--save"], 2, "field     --target, --save"),
    ],
)
def test_what_makes_no_sense_is_refused(run, options, code, word):
    said = collude("attack", run[0], *options)
    assert said.code == code
    assert word in said.err
