"""`collude pki`: makes a consortium or nothing, and finds what is wrong with one."""

import datetime as dt
import shutil

import pytest
from testkit.command import collude

from collude.common.net import pki

PARTIES = ["--party", "analyst", "--party", "participant-0", "--party", "participant-1=10.0.0.7"]


@pytest.fixture
def made(tmp_path):
    assert collude("pki", "init", tmp_path / "made", *PARTIES).code == 0
    return tmp_path / "made"


def findings(folder):
    said = collude("pki", "check", folder, "--json")
    assert said.code == (4 if said.json["findings"] else 0)
    return {(f["code"], f["party"]) for f in said.json["findings"]}


def test_init_says_what_it_made(tmp_path) -> None:
    said = collude("pki", "init", tmp_path / "made", *PARTIES, "--json")
    assert said.json == {
        "directory": str(tmp_path / "made"),
        "parties": ["analyst", "participant-0", "participant-1"],
    }
    assert "3 parties" in said.err
    assert str(tmp_path / "made" / "scenario.toml") in said.err  # where the files look for it
    assert (tmp_path / "made/participant-1/party.toml").exists()


def test_init_writes_over_nothing(made) -> None:
    before = (made / "ca/ca-key.pem").read_bytes()
    said = collude("pki", "init", made, *PARTIES, "--json")
    assert (said.code, said.json["error"]["field"]) == (2, str(made))
    assert (made / "ca/ca-key.pem").read_bytes() == before


@pytest.mark.parametrize("name", ["Analyst", "analyst ", "participant-0=not a host", "", "ca"])
def test_init_refuses_a_name_or_host_and_makes_nothing(tmp_path, name) -> None:
    said = collude("pki", "init", tmp_path / "made", "--party", name, "--json")
    assert said.code == 2
    assert said.json["error"]["code"] == "E-SCENARIO"
    assert not (tmp_path / "made").exists()


def test_check_finds_nothing_wrong_with_what_init_made(made) -> None:
    assert findings(made) == set()
    assert "all is well" in collude("pki", "check", made).err


def test_check_finds_a_key_that_others_can_read(made) -> None:
    (made / "analyst/key.pem").chmod(0o644)
    assert findings(made) == {("E-PKI-MODE", "analyst")}


def test_check_finds_a_certificate_that_has_expired(tmp_path) -> None:
    then = dt.datetime.now(dt.UTC) - dt.timedelta(days=800)
    pki.init(tmp_path / "made", {"analyst": (), "participant-0": ()}, now=then)
    assert ("E-PKI-EXPIRED", "analyst") in findings(tmp_path / "made")


def test_check_finds_swapped_folders(made) -> None:
    shutil.copy(made / "participant-0/cert.pem", made / "analyst/cert.pem")
    codes = {code for code, party in findings(made) if party == "analyst"}
    assert codes >= {"E-PKI-NAME"}


def test_check_says_so_where_there_is_nothing(tmp_path) -> None:
    assert findings(tmp_path) == {("E-PKI-EMPTY", tmp_path.name)}
    text = collude("pki", "check", tmp_path)
    assert text.code == 4
    assert "E-PKI-EMPTY" in text.out
