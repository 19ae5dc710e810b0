"""`collude attack`: the run's own figures again, other coalitions, never the truth."""

import shutil

import numpy as np
import pytest
from testkit.command import collude

from collude.runtime.rundir import RunDirectory


def attack(run: RunDirectory, *words):
    return collude("attack", run.root, *words, "--json")


def reconstructions(run: RunDirectory) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((run.root / "attacks").glob("*.npz"))}


def anew(run: RunDirectory) -> dict[str, bytes]:
    """Attack and save; return the bytes of every reconstruction."""
    shutil.rmtree(run.root / "attacks")
    assert attack(run, "--save").code == 0
    return reconstructions(run)


def test_it_gives_the_runs_own_figures(finished) -> None:
    said = attack(finished)
    assert said.code == 0, said.err
    assert said.json == finished.results()["attacks"]


def test_the_reconstructions_are_those_of_the_run_to_the_byte(mine) -> None:
    before = reconstructions(mine)
    assert before.keys() == {"procrustes.npz", "centred-procrustes.npz"}
    assert anew(mine) == before


@pytest.mark.parametrize("kind", ["deleted", "noise"])
def test_the_truth_changes_scores_alone(mine, kind) -> None:
    before, scores = reconstructions(mine), mine.results()["attacks"]
    for path in (mine.root / "truth").glob("*" if kind == "deleted" else "participant-*"):
        if kind == "deleted":
            path.unlink()
            continue
        with np.load(path, allow_pickle=False) as held:
            kept = {name: held[name] for name in held.files}
        noise = np.random.default_rng(0)
        spoilt = {n: noise.normal(size=kept[n].shape) for n in ("records", "rotation")}
        np.savez(path, allow_pickle=False, **(kept | spoilt))
    assert anew(mine) == before
    after = mine.results()["attacks"]
    assert after["attacks"] != scores["attacks"]
    if kind == "deleted":
        assert {a["relative"] for a in after["attacks"]} == {None}
        assert after["leakage"] is None


def test_the_targets_folder_is_not_read(mine) -> None:
    """What the target holds, and what an honest participant keeps, changes nothing."""
    before = reconstructions(mine)
    for party in ("participant-1", "participant-2"):
        shutil.rmtree(mine.root / "parties" / party)
    assert anew(mine) == before


def test_what_the_colluder_holds_changes_the_reconstruction(mine) -> None:
    before = reconstructions(mine)
    shutil.copy(
        mine.root / "parties/participant-2/disclosable.npz",
        mine.root / "parties/participant-0/disclosable.npz",
    )
    assert anew(mine) != before


def test_two_colluders_pool_what_they_know(finished) -> None:
    said = attack(finished, "--colluder", "participant-0", "--colluder", "participant-2")
    assert said.code == 0, said.err
    assert said.json["colluders"] == ["participant-0", "participant-2"]
    assert said.json["target"] == "participant-1"
    alone = {a["name"]: a for a in attack(finished).json["attacks"]}
    pooled = {a["name"]: a for a in said.json["attacks"]}
    assert pooled["procrustes"]["rotation"] == alone["procrustes"]["rotation"]  # one A for all
    name = "centred-procrustes"  # it centres on the colluders' records, of which there are more
    assert pooled[name]["relative"] != alone[name]["relative"]


def test_another_target(finished) -> None:
    said = attack(finished, "--target", "participant-2")
    assert (said.code, said.json["target"]) == (0, "participant-2")
    assert said.json["attacks"] != finished.results()["attacks"]["attacks"]


def test_only_the_named_attacks_run(finished) -> None:
    said = attack(finished, "--attack", "procrustes")
    assert [a["name"] for a in said.json["attacks"]] == ["procrustes"]


def test_an_attack_that_lacks_something_says_what(finished) -> None:
    said = attack(finished, "--attack", "exact-inversion")
    assert said.code == 0
    assert said.json["attacks"] == []
    assert said.json["impossible"]["exact-inversion"]


@pytest.mark.parametrize(
    ("words", "code", "got"),
    [
        (["--attack", "telepathy"], 2, "telepathy"),
        (["--colluder", "participant-9"], 3, "participant-9"),
        (["--colluder", "analyst"], 3, "analyst"),
        (["--target", "participant-9"], 2, "participant-9"),
        (["--target", "participant-0"], 2, "participant-0"),
        (["--colluder", "participant-1", "--target", "participant-1"], 2, "participant-1"),
    ],
)
def test_what_is_not_there_is_refused_by_name(mine, words, code, got) -> None:
    before = reconstructions(mine), mine.results()
    said = attack(mine, *words, "--save")
    assert said.code == code
    assert got in str(said.json["error"])
    assert got in said.err
    assert (reconstructions(mine), mine.results()) == before


def test_without_save_nothing_is_written(mine) -> None:
    before = {p: p.stat().st_mtime_ns for p in mine.root.rglob("*") if p.is_file()}
    assert attack(mine, "--target", "participant-2").code == 0
    assert {p: p.stat().st_mtime_ns for p in mine.root.rglob("*") if p.is_file()} == before


def test_save_puts_the_outcome_into_results_and_report(mine) -> None:
    said = attack(mine, "--target", "participant-2", "--save")
    assert mine.results()["attacks"] == said.json
    assert "participant-2" in mine.report.read_text()
    assert "report:" in said.err


def test_a_table_without_json(finished) -> None:
    said = collude("attack", finished.root)
    assert said.code == 0
    assert "centred-procrustes" in said.out
    assert "lower bound" in said.out


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_only_a_run_directory_can_be_attacked(tmp_path, name) -> None:
    said = collude("attack", tmp_path / name, "--json")
    assert (said.code, said.json["error"]["code"]) == (2, "E-RUN-DIR")


def test_a_changed_transcript_is_noticed(mine) -> None:
    (blob,) = (mine.transcripts / "analyst").glob("*participant-1-r3_upload.bin")
    content = bytearray(blob.read_bytes())
    content[-1] ^= 1
    blob.write_bytes(content)
    said = attack(mine)
    assert said.code == 2
    assert blob.name in said.json["error"]["field"]
