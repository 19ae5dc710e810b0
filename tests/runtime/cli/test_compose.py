"""`collude compose`: what it refuses, what it says, and looking over a site again."""

import pytest
import yaml
from testkit.command import QUICKSTART, collude
from testkit.sites import make_site


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--user", "me"), "--user"),
        (("--subnets", "10.0.0.1/8"), "--subnets"),
        (("--subnets", "everywhere"), "--subnets"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(tmp_path, words, told) -> None:
    said = collude("compose", QUICKSTART, "--out", tmp_path / "site", *words)
    assert (said.code, told in said.words) == (2, True)
    assert not (tmp_path / "site").exists()


def test_a_range_that_is_too_small_leaves_nothing(tmp_path) -> None:
    words = ("--subnets", "10.0.0.0/28", "--json")
    said = collude("compose", QUICKSTART, "--out", tmp_path / "site", *words)
    assert (said.code, said.json["error"]["field"]) == (2, "--subnets")
    assert not (tmp_path / "site").exists()


def test_a_scenario_that_cannot_be_used_is_named(tmp_path) -> None:
    words = ("--set", "data.participants=1", "--json")
    said = collude("compose", QUICKSTART, "--out", tmp_path / "site", *words)
    assert (said.code, said.json["error"]["field"]) == (2, "data.participants")


def test_a_site_is_looked_over_again(tmp_path) -> None:
    make_site(tmp_path / "site")
    assert collude("compose", tmp_path / "site", "--check").code == 0
    path = tmp_path / "site" / "compose.yaml"
    document = yaml.safe_load(path.read_text())
    document["services"]["analyst"]["user"] = "0:0"
    path.write_text(yaml.safe_dump(document))
    said = collude("compose", tmp_path / "site", "--check", "--json")
    assert said.code == 4
    (found,) = said.json["findings"]
    assert (found["code"], found["party"], found["field"]) == ("E-SITE-RIGHTS", "analyst", "user")
    assert (
        "[E-SITE-RIGHTS] analyst: user is not"
        in collude("compose", tmp_path / "site", "--check").out
    )


def test_what_is_no_site_cannot_be_looked_over(tmp_path) -> None:
    said = collude("compose", tmp_path, "--check", "--json")
    assert (said.code, said.json["error"]["code"]) == (2, "E-RUN-DIR")


@pytest.mark.slow
def test_the_command_makes_a_site_and_says_what_is_next(tmp_path) -> None:
    words = ("--set", "data.participants=10", "--seed", 3, "--json")
    said = collude("compose", QUICKSTART, "--out", tmp_path / "site", *words)
    assert said.code == 0, said.err
    assert "docker compose up" in said.words
    assert said.json["services"][0] == "analyst"
    assert len(said.json["services"]) == 13
    refused = collude("compose", QUICKSTART, "--out", tmp_path / "site", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "E-OUT-EXISTS")
