"""The tables about answers: what they refuse to hide."""

import contextlib
import copy
import io

import pytest
from pydantic import ValidationError
from testkit.shared import once
from testkit.small_release import run_small

from collude.runtime.cli.release_tables import show_release, show_release_attacks
from collude.runtime.rundir import RunDirectory


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = once(tmp_path_factory, "small-release", lambda place: run_small(place / "run"))
    return RunDirectory(folder / "run").results()["codef"]


@pytest.fixture
def codef(found):
    return copy.deepcopy(found)


def said(show, *what) -> str:
    stdout = io.StringIO()
    with contextlib.redirect_stdout(stdout):
        show(*what)
    return " ".join(stdout.getvalue().replace("│", " ").split())


def test_each_policy_has_what_it_promises_what_it_gave_and_what_came_of_it(codef) -> None:
    text = said(show_release, codef)
    for period in codef["policies"]:
        assert f"Policy {period['policy']}" in text
        assert " ".join(period["guarantee"].split()[:3]) in text
        low, high = period["attacks"][0]["interval"]
        assert f"95 % {low:.3f} to {high:.3f}" in text
        assert f"guaranteed {period['attacks'][0]['guaranteed']:.3f}" in text
    assert "persons over it 30 of 30 persons" in text
    assert "Safe for that risk are 3 answers at epsilon 2." in text
    assert "a lower bound on what leaks" in text


def test_who_was_lost_and_what_was_unproved_is_said(codef) -> None:
    codef["left"] = {"participant-2": "[E-X] it was [bold]silent"}
    codef["policies"][0]["answers"]["unproved"] = 7
    text = said(show_release, codef)
    assert "participant-2 was lost: [E-X] it was [bold]silent" in text
    assert "unproved 7 findings" in text


def test_without_truth_nothing_is_claimed(codef) -> None:
    for period in codef["policies"]:
        period["attacks"], period["curve"] = [], []
    text = said(show_release, codef)
    assert "is not known here" in text
    assert "names" not in text.replace("Nobody names", "").replace("name a person", "")


def test_an_attack_that_lacks_something_proves_no_safety(codef) -> None:
    periods = [{"policy": "paper", "attacks": codef["policies"][0]["attacks"],
                "impossible": {"xor-pair": ["pairs", "silos"]}}]  # fmt: skip
    text = said(show_release_attacks, periods)
    assert (
        "paper: xor-pair cannot run, which proves no safety; the view lacks pairs and silos" in text
    )
    assert "paper maximum-likelihood success" in text


def test_where_two_silos_share_a_secret_the_bound_is_about_who_knows_that_alone(codef) -> None:
    assert "nobody who knows all attributes" in said(show_release, codef)
    codef["source"] = "xor-persons"
    assert "only the secrets that two silos share" in said(show_release, codef)
    assert "all attributes" not in said(show_release, codef)


def test_a_run_without_truth_says_so_in_place_of_an_empty_table() -> None:
    text = said(show_release_attacks, [{"policy": "paper", "attacks": [], "impossible": {}}])
    assert text.startswith("paper: who was named rightly is not known here")
    assert "Success" not in text


def test_results_of_another_kind_are_refused(codef) -> None:
    del codef["policies"]
    with pytest.raises(ValidationError):
        show_release(codef)
