from pathlib import Path

import pytest
import tomli_w

from collude.common.errors import ScenarioInvalid
from collude.common.ids import Role
from collude.common.party_file import load_party_file

KEYS = {name: f"ed25519:{index:064x}" for index, name in enumerate(["analyst", "participant-0"])}


def document() -> dict:
    return {
        "party": {
            "name": "participant-0",
            "role": "participant",
            "state_dir": "state",
            "listen": "127.0.0.1:7402",
            "scenario": "../scenario.toml",
        },
        "peers": {"analyst": "[::1]:7400"},
        "tls": {"ca": "ca.pem", "cert": "cert.pem", "key": "/abs/key.pem"},
        "identity": {"signing_key": "signing-key.pem"},
        "roster": dict(KEYS),
    }


def written(folder: Path, content: dict) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "party.toml"
    path.write_bytes(tomli_w.dumps(content).encode())
    return path


BROKEN = [
    (("party", "listne"), "x:1", "party.listne", "'listen'"),
    (("rooster",), {}, "rooster", "'roster'"),
    (("tls", "kee"), "x", "tls.kee", "'key'"),
    (("party", "role"), "boss", "party.role", "participant"),
    (("party", "role"), "analyst", "party.role", "participant"),
    (("party", "name"), "participant-9", "party.name", "participant-0"),
    (("party", "state_dir"), 7, "party.state_dir", "path"),
    (("party", "listen"), "nowhere", "party.listen", "host:port"),
    (("party", "listen"), "x:1, nowhere", "party.listen", "'nowhere'"),
    (("party", "listen"), "x:1,", "party.listen", "''"),
    (("peers", "participant-9"), "x:1", "peers", "participant-0"),
    (("peers", "analyst"), "x:99999", "peers.analyst", "host:port"),
    (("roster", "analyst"), "ed25519:00", "roster.analyst", "64"),
    (("roster", "Analyst"), KEYS["analyst"][:-2] + "ff", "party", "DNS|hyphens"),
    (("roster",), {"participant-0": KEYS["analyst"], "a": KEYS["analyst"]}, "roster", "share"),
]


@pytest.mark.parametrize(("place", "value", "field", "text"), BROKEN)
def test_what_is_refused_names_file_and_field(tmp_path, place, value, field, text):
    content = document()
    table = content
    for key in place[:-1]:
        table = table[key]
    table[place[-1]] = value
    if place == ("roster",):
        content["peers"] = {}
    path = written(tmp_path, content)
    with pytest.raises(ScenarioInvalid, match=text) as caught:
        load_party_file(path)
    assert field in str(caught.value.field)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("missing", ["party", "tls", "identity", "roster"])
def test_a_missing_section_is_named(tmp_path, missing):
    content = document()
    del content[missing]
    with pytest.raises(ScenarioInvalid, match="missing") as caught:
        load_party_file(written(tmp_path, content))
    assert caught.value.field == missing


def test_a_missing_file_and_one_that_is_no_toml_are_named(tmp_path):
    with pytest.raises(ScenarioInvalid, match=r"gone\.toml"):
        load_party_file(tmp_path / "gone.toml")
    (tmp_path / "x.toml").write_text("[party", encoding="utf-8")
    with pytest.raises(ScenarioInvalid, match="TOML"):
        load_party_file(tmp_path / "x.toml")


def test_relative_paths_start_at_the_files_folder(tmp_path):
    folder = tmp_path / "mit Leerzeichen und Umläuten é"
    loaded = load_party_file(written(folder, document()))
    assert loaded.party.state_dir == folder / "state"
    assert loaded.tls.ca == folder / "ca.pem"
    assert loaded.tls.key == Path("/abs/key.pem")
    assert loaded.party.role is Role.PARTICIPANT
    assert loaded.peers == {"analyst": "[::1]:7400"}
    assert loaded.members().participants == ("participant-0",)
    assert loaded.disclosure_address == "127.0.0.1:7402"


def test_the_analyst_discloses_on_a_port_of_its_own(tmp_path):
    content = document()
    content["party"] |= {"name": "analyst", "role": "analyst"}
    content["peers"] = {}
    assert load_party_file(written(tmp_path, content)).disclosure_address is None
    content["party"]["disclosure_listen"] = "127.0.0.1:7401"
    assert load_party_file(written(tmp_path, content)).disclosure_address == "127.0.0.1:7401"


def test_a_party_can_listen_on_several_networks(tmp_path):
    content = document()
    content["party"]["listen"] = "a.one:7402, a.two:7402"
    assert load_party_file(written(tmp_path, content)).party.listen == "a.one:7402,a.two:7402"


def test_the_party_file_cannot_be_changed(tmp_path):
    loaded = load_party_file(written(tmp_path, document()))
    with pytest.raises(ValueError, match="frozen"):
        loaded.party.name = "analyst"


def test_who_gives_a_scenario_is_told_what_a_party_file_is(tmp_path):
    path = written(tmp_path, {"scenario": {"name": "asked"}})
    with pytest.raises(ScenarioInvalid) as caught:
        load_party_file(path)
    assert "collude pki init" in caught.value.next_step
