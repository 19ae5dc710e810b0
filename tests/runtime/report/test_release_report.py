"""The page of a run in which silos answered about persons, from finished runs."""

import json
import re
import shutil

import numpy as np
import pytest
from testkit.shared import once
from testkit.small_release import POLICIES, run_small

from collude.common.errors import ColludeError, RunDirectoryInvalid
from collude.runtime.report import write_report
from collude.runtime.rundir import RunDirectory


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunDirectory:
    folder = once(tmp_path_factory, "small-release", lambda place: run_small(place / "run"))
    return RunDirectory(folder / "run")


@pytest.fixture(scope="module")
def page(run) -> str:
    return run.report.read_text()


@pytest.fixture
def mine(run, tmp_path) -> RunDirectory:
    shutil.copytree(run.root, tmp_path / "mine")
    return RunDirectory(tmp_path / "mine")


def text_of(page) -> str:
    plain = re.sub(r"data:image/png;base64,[A-Za-z0-9+/=]+", "", page)
    return " ".join(re.sub(r"<[^>]+>", " ", plain[plain.index("<body") :]).split())


def rewritten(run, **changed):
    """The page after the `codef` part of the results was changed."""
    results = run.results()
    results["codef"] |= changed
    run.write_results(results)
    return text_of(write_report(run.root).read_text())


def test_each_policy_has_its_numbers(run, page) -> None:
    text = text_of(page)
    for period in run.results()["codef"]["policies"]:
        (score,) = period["attacks"]
        assert f"names {100 * score['success']:.0f} of 100" in text
        assert period["guarantee"] in text
        assert period["ledger"]["head"] in text
    assert "Its own threshold is 5 at epsilon 2, but 20 had been answered" in text
    assert "a lower bound" in text


def test_what_is_not_of_such_a_run_is_left_out(page) -> None:
    for part in ("What the model is worth", "What the coalition learns", "Every attack in pictures",
                 "secret transform", "Labels", "NAA-GDP"):  # fmt: skip
        assert part not in text_of(page)


def test_the_figures_are_files_and_stand_in_the_page(run, page) -> None:
    names = {path.name for path in run.figures.iterdir()}
    assert names == {f"releases-{name}.png" for name in ("success", "levels", "budget")}
    assert page.count("data:image/png;base64,") == 3
    for path in run.figures.iterdir():
        assert path.read_bytes().startswith(b"\x89PNG")


def test_the_page_is_one_file_without_scripts_or_addresses(page) -> None:
    assert "<script" not in page
    assert not re.search(r"""(?:src|href)=["'](?!data:)""", page)
    assert "://" not in page


def test_no_count_of_a_person_or_of_a_silo_is_told(run, page) -> None:
    """Results and page have no entry for each person, and nothing of one silo but its name."""
    codef = run.results()["codef"]
    persons = codef["persons"]

    def lengths(value):
        if isinstance(value, dict):
            for each in value.values():
                yield from lengths(each)
        elif isinstance(value, list):
            yield len(value)
            for each in value:
                yield from lengths(each)

    assert max(lengths(codef)) < persons
    assert not re.search(r"participant-\d[^a-z]{0,20}\d+ (answers|nats)", text_of(page))
    # And nobody's handle, answers or sums stand in the page.
    for number in range(len(POLICIES)):
        with np.load(run.root / "truth" / f"persons-{number}.npz") as truth:
            for handle in truth["handles"]:
                assert handle.tobytes().hex() not in page


def test_who_learned_what_says_who_sums_and_who_knows_the_handles(page) -> None:
    text = text_of(page)
    text = text[text.rindex("Who learned what") :]
    assert "coordinator sums under masks no no no sums over silos" in text
    assert "5 silos answers, and counts own yes: the silos" in text
    assert "attacker asks, and names everybody" in text


def test_the_referee_s_count_is_labelled_and_only_of_a_simulation(run, page, mine) -> None:
    assert "The referee's count" in text_of(page).replace("&#39;", "'")
    manifest = json.loads((mine.root / "manifest.json").read_text())
    manifest["mode"], manifest["seed"] = "deployment", None
    mine.write_manifest(manifest)
    text = text_of(write_report(mine.root).read_text())
    assert "referee" not in text
    assert "Beyond the limit" not in text


def test_a_missing_silo_is_named_with_its_epoch(mine) -> None:
    policies = mine.results()["codef"]["policies"]
    policies[1]["epochs"][2]["missing"] = ["participant-3"]
    text = rewritten(mine, policies=policies, left={"participant-3": "it was silent"})
    assert "information epoch 2 participant-3" in text
    assert "participant-3 was not waited for any more: it was silent" in text
    assert "Every silo was counted" not in text


def test_where_all_were_counted_the_page_says_so(page) -> None:
    assert "Every silo was counted after every epoch." in text_of(page)


def test_receipts_that_lack_are_told(mine) -> None:
    policies = mine.results()["codef"]["policies"]
    policies[0]["answers"]["unproved"] = 4
    text = rewritten(mine, policies=policies)
    assert "wrong and stopped nothing (4 under paper)" in text
    assert "Every answer came with a receipt" not in text


def test_an_attack_that_could_not_run_proves_nothing(mine) -> None:
    policies = mine.results()["codef"]["policies"]
    policies[2]["impossible"] = {"xor-pair": ["pairs"]}
    text = rewritten(mine, policies=policies)
    assert "success, xor-pair: could not run, which proves nothing. It lacks pairs." in text


def test_what_goes_wrong_on_purpose_is_told(mine) -> None:
    manifest = json.loads((mine.root / "manifest.json").read_text())
    manifest["scenario"]["faults"] = {
        "deviator": {"participant-1": "under-reporter", "participant-2": "no-such"},
        "crash": {"participant-3": "codef_masked_input"},
    }
    mine.write_manifest(manifest)
    text = rewritten(mine, left={"participant-3": "nothing came"})
    assert "participant-1: under-reporter: It commits to and masks half of what it counted" in text
    assert "Nothing stopped it in this run" in text
    assert "no-such: a deviation of a plug-in" in text
    assert "falls silent for ever in the round codef_masked_input" in text
    assert "The others went on without it: nothing came" in text


def test_a_run_that_was_aborted_says_where_and_what_was_on_purpose(tmp_path) -> None:
    out = tmp_path / "run"
    crash = {f"participant-{i}": "codef_masked_input" for i in range(3)}
    with pytest.raises(ColludeError):
        run_small(out, faults={"crash": crash}, codef={"policies": ["success"]})
    text = text_of((out / "report.html").read_text())
    assert "Person releases has no results" in text
    assert "On purpose, participant-0: falls silent for ever" in text
    assert "What the model is worth" not in text


def test_what_stopped_a_party_that_cheated_is_told(tmp_path) -> None:
    out = tmp_path / "run"
    deviator = {"participant-2": "share-shifter"}
    with pytest.raises(ColludeError):
        run_small(out, faults={"deviator": deviator}, codef={"policies": ["success"]})
    text = text_of((out / "report.html").read_text())
    assert "On purpose, participant-2: share-shifter: It adds one to a share" in text
    assert "E-AGGREGATION" in text
    assert "Stopped: the coordinator puts the seed together" in text


def test_damaged_results_are_named(mine) -> None:
    results = mine.results()
    results["codef"]["policies"][0]["levels"] = "high"
    mine.write_results(results)
    with pytest.raises(RunDirectoryInvalid, match="codef"):
        write_report(mine.root)


def test_markup_in_a_value_stays_text(mine) -> None:
    assert "<b>" not in re.findall(r"<b>", write_report(mine.root).read_text())
    results = mine.results()
    results["codef"]["left"] = {"participant-0": "<b>bold</b>"}
    mine.write_results(results)
    assert "<b>bold" not in write_report(mine.root).read_text()


def test_the_same_run_gives_the_same_page(mine) -> None:
    assert write_report(mine.root).read_bytes() == write_report(mine.root).read_bytes()


def test_of_many_silos_traffic_is_one_column(tmp_path) -> None:
    run_small(tmp_path / "run", data={"participants": 9}, codef={"policies": ["success"],
              "persons": 10, "epochs": 1, "attributes": 1, "max_success": 0.5})  # fmt: skip
    text = text_of((tmp_path / "run" / "report.html").read_text())
    traffic = text[text.index("Bytes and seconds") :]
    assert "Round attacker coordinator 9 silos" in traffic
    assert "participant-4" not in traffic[: traffic.index("What this shows")]


def test_pairs_of_answers_tell_what_single_ones_do_not(tmp_path) -> None:
    run_small(
        tmp_path / "run",
        data={"source": "xor-persons", "participants": 4},
        collusion={"attacks": ["xor-pair"]},
        codef={"policies": ["paper"], "strategy": "xor-pair", "epochs": 2, "persons": 12},
    )
    text = text_of((tmp_path / "run" / "report.html").read_text())
    assert "pairs of answers about each person, xor-pair names" in text
    assert "taken to know the secrets that two silos share, and no more, of everybody" in text
    assert "Somebody who knows the secrets that two silos share of everybody asks" in text
    assert "nothing is known of persons but the secrets that two silos share" in text
    assert "all attributes of everybody" not in text
    assert "none; the secrets of pairs of silos are taken to be known" in text
    assert "everybody's: taken to be known" not in text
    # By hand: q = 1/(1 + cosh 2) = .2100, ln 2 - H(q) = .1792; one answer alone: q = 1/(1 + e^2).
    assert "2 0 0.1792 1.325 0.6556" in text
