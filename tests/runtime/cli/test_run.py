"""`collude run`: what it refuses, what it leaves, how it answers."""

import shutil

import pytest
from testkit.command import QUICKSTART, collude

from collude.runtime.rundir import RunDirectory

DEPLOYED = QUICKSTART.read_text().replace('mode = "simulation"', 'mode = "deployment"').replace(
    "seed = 7 ", "# seed = 7 "
).replace('colluders = ["participant-0"]', "colluders = []")  # fmt: skip
QUICK = ("--no-compare", "--json")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "run"


@pytest.fixture
def deployed(tmp_path):
    path = tmp_path / "deployed.toml"
    path.write_text(DEPLOYED)
    return path


def refused(*words):
    """Return the error of a command that must end with bad usage; the text must tell it too."""
    said = collude("run", *words, "--json")
    assert said.code == 2
    error = said.json["error"]
    assert error["reason"] in said.words
    return error


# --- what it refuses, before anything is made


def test_an_unknown_key_is_refused_and_the_nearest_known_one_named(tmp_path, out) -> None:
    path = tmp_path / "s.toml"
    path.write_text(QUICKSTART.read_text().replace("anchor_noise = 0.05", "anchor_nois = 0.05"))
    error = refused(path, "--out", out)
    assert error["field"] == "mechanism.anchor_nois"
    assert "'anchor_noise'" in error["hint"]
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["--set", "network.deadlines=3"], "network.deadlines"),
        (["--set", "mechanism.method=xyz"], "mechanism.method"),
        (["--set", "data.participants=1"], "data.participants"),
        (["--set", "mechanism.anchor_rows=64"], "mechanism.anchor_rows"),
        (["--set", "mechanism.anchor_noise=-1"], "mechanism.anchor_noise"),
        (["--set", "mechanism.anchor_noise=nan"], "mechanism.anchor_noise"),
        (["--set", "mechanism.method=c-gdp"], "mechanism.anchor_noise"),
        (["--set", "collusion.target=participant-0"], "collusion.target"),
        (["--set", "collusion.colluders=['participant-7']"], "collusion.colluders"),
        (["--set", "collusion.attacks=['no-such-attack']"], "collusion.attacks"),
        (["--set", "data.source=nothing"], "data.source"),
        (["--set", "nonsense"], "--set"),
        (["--runtime", "carrier-pigeon"], "--runtime"),
        (["--seed", "-1"], "scenario.seed"),
        (["--set", "scenario.mode=deployment"], "scenario.seed"),
    ],
)
def test_what_cannot_be_run_is_refused_by_field(out, words, field) -> None:
    assert refused(QUICKSTART, "--out", out, *words)["field"] == field
    assert not out.exists()


def test_a_file_that_is_not_there_or_no_toml_is_named(tmp_path, out) -> None:
    assert "nowhere.toml" in refused(tmp_path / "nowhere.toml", "--out", out)["reason"]
    (tmp_path / "bad.toml").write_text("this is = = no TOML")
    assert "bad.toml" in refused(tmp_path / "bad.toml", "--out", out)["reason"]


def test_an_existing_directory_is_refused_and_kept(out) -> None:
    out.mkdir()
    (out / "precious").write_text("mine")
    assert refused(QUICKSTART, "--out", out)["code"] == "E-OUT-EXISTS"
    assert refused(QUICKSTART, "--out", out, "--force")["code"] == "E-OUT-EXISTS"
    assert (out / "precious").read_text() == "mine"


def test_force_replaces_a_run_directory(mine) -> None:
    (mine.root / "left-over").touch()
    assert refused(QUICKSTART, "--out", mine.root)["code"] == "E-OUT-EXISTS"
    assert (mine.root / "left-over").exists()
    said = collude("run", QUICKSTART, "--out", mine.root, "--force", "--seed", 8, *QUICK)
    assert said.code == 0, said.err
    assert not (mine.root / "left-over").exists()
    assert mine.results()["seed"] == 8


def test_an_output_that_cannot_be_made_is_bad_input(tmp_path) -> None:
    (tmp_path / "file").touch()
    assert refused(QUICKSTART, "--out", tmp_path / "file" / "run")["code"] == "E-RUN-DIR"


# --- what it leaves


def test_a_run_leaves_what_is_promised(out) -> None:
    said = collude("run", QUICKSTART, "--out", out, *QUICK)
    assert said.code == 0, said.err
    assert {path.name for path in out.iterdir()} >= {
        "manifest.json", "status.json", "results.json", "report.html", "figures",
        "transcripts", "logs", "parties", "truth", "attacks",
    }  # fmt: skip
    run = RunDirectory.open(out)
    assert run.status().state == "finished"
    assert said.json == run.results()
    assert {"scenario", "mode", "seed", "transcript_digest", "results_digest", "utility",
            "attacks", "codef", "timings", "warnings"} <= set(said.json)  # fmt: skip
    assert {"target", "colluders", "attacks", "leakage", "ceiling", "floor", "chance"} <= set(
        said.json["attacks"]
    )
    assert {"name", "relative", "centred_relative", "rotation", "linkage", "interval",
            "diagnostics"} <= set(said.json["attacks"]["attacks"][0])  # fmt: skip


def test_tables_stand_on_stdout_and_steps_on_stderr(out) -> None:
    said = collude("run", QUICKSTART, "--out", out, "--set", "mechanism.anchor_noise=0.1")
    assert "Utility" in said.out
    assert "centred-procrustes" in said.out
    for method in ("naa-gdp", "local", "c-gdp", "i-gdp"):  # the baselines beside it
        assert method in said.out
    assert "the coalition attacks" in said.err
    assert "Utility" not in said.err


def test_the_default_directory_is_named_by_scenario_and_time(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert collude("run", QUICKSTART, *QUICK).code == 0
    (made,) = (tmp_path / "runs").iterdir()
    assert made.name.startswith("quickstart-2")


def test_more_noise_moves_both_tables(tmp_path) -> None:
    """Utility falls, the attack's error grows; the baselines, which have no anchor, stay."""
    loud, quiet = (
        collude("run", QUICKSTART, "--out", tmp_path / v, "--json",
                "--set", f"mechanism.anchor_noise={v}").json
        for v in ("0.2", "0.01")
    )  # fmt: skip
    assert loud["utility"]["value"] < quiet["utility"]["value"] - 0.005
    for before, after in zip(quiet["attacks"]["attacks"], loud["attacks"]["attacks"], strict=True):
        assert before["name"] == after["name"]
        assert after["rotation"] > 10 * before["rotation"]
        assert after["centred_relative"] > 2 * before["centred_relative"]
    assert loud["utility"]["baselines"] == quiet["utility"]["baselines"]


def test_without_colluders_the_analyst_has_no_anchor_to_attack_with(out) -> None:
    said = collude("run", QUICKSTART, "--out", out, "--set", "collusion.colluders=[]", *QUICK)
    assert said.code == 0, said.err
    assert said.json["attacks"]["attacks"] == []
    assert "anchor A" in " ".join(said.json["attacks"]["impossible"]["procrustes"])
    assert said.json["attacks"]["leakage"] is None


def test_a_method_without_upload_has_utility_and_no_attack(out) -> None:
    words = ["--set", "mechanism.method=local", "--set", "mechanism.anchor_noise=0"]
    said = collude("run", QUICKSTART, "--out", out, *words, *QUICK)
    assert said.code == 0, said.err
    assert said.json["attacks"] is None
    assert said.json["utility"]["value"] > 0.9


# --- deployment


def test_a_deployment_leaves_no_truth_and_cannot_be_repeated(tmp_path, deployed) -> None:
    results = []
    for name in ("one", "two"):
        said = collude("run", deployed, "--out", tmp_path / name, "--json")
        assert said.code == 0, said.err
        results.append(said.json)
    one, two = results
    assert (one["mode"], one["seed"]) == ("deployment", None)
    assert one["transcript_digest"] != two["transcript_digest"]
    assert one["utility"]["value"] > 0.9
    assert one["utility"]["baselines"] == {}
    made = tmp_path / "one"
    assert not list((made / "truth").iterdir())
    assert not list(made.rglob("disclosable.npz"))
    assert not list(made.rglob("seed"))
    assert RunDirectory.open(made).manifest()["seed"] is None
    assert one["attacks"] is None
    assert not (made / "parties" / "analyst" / "disclosing").exists()  # a port that it opened


def test_a_deployment_takes_no_seed_and_no_colluder(tmp_path, deployed, out) -> None:
    assert refused(deployed, "--seed", 7, "--out", out)["field"] == "scenario.seed"
    colluder = ["--set", "collusion.colluders=['participant-0']"]
    error = refused(deployed, *colluder, "--out", out)
    assert error["field"] == "collusion.colluders"
    assert "allow_in_deployment" in error["hint"]


def test_a_deployment_cannot_be_attacked_with_what_colluders_left(deployed, out) -> None:
    assert collude("run", deployed, "--out", out, *QUICK).code == 0
    said = collude("attack", out, "--colluder", "participant-0", "--json")
    assert (said.code, said.json["error"]["party"]) == (3, "participant-0")


def test_an_unusual_path(tmp_path) -> None:
    name = "Ein Lauf mit Lücken, плохой путь, a'b\"c"
    shutil.copy(QUICKSTART, tmp_path / f"{name}.toml")
    said = collude("run", tmp_path / f"{name}.toml", "--out", tmp_path / name, *QUICK)
    assert said.code == 0, said.err
    assert (tmp_path / name / "report.html").exists()
