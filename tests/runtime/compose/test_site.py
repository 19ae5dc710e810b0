"""A site on disk: everybody's own things, a compose file over them, and what is refused."""

import os
import stat
import tomllib

import pytest
import yaml
from testkit.quick import quickstart
from testkit.sites import make_site

from collude.common.errors import RunDirectoryExists, RunDirectoryInvalid
from collude.common.ids import ANALYST, ATTACKER
from collude.common.net.setup import load_setup
from collude.common.scenario import load_scenario, scenario_digest
from collude.runtime.compose.layout import Site
from collude.runtime.compose.services import REPORT, STATE, can_report
from collude.runtime.compose.site import SiteOptions, own_user

P0, P1, P2 = (f"participant-{index}" for index in range(3))
PARTIES = (ANALYST, P0, P1, P2, ATTACKER)


def services(root):
    return yaml.safe_load((root / "compose.yaml").read_text())["services"]


# --- what is refused


def test_something_that_is_there_is_not_overwritten(tmp_path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mine").write_text("keep")
    for options in (None, SiteOptions(force=True)):
        with pytest.raises(RunDirectoryExists):
            make_site(tmp_path / "site", options=options)
    assert (tmp_path / "site" / "mine").read_text() == "keep"


def test_a_site_is_replaced_by_force_alone(site) -> None:
    (site / "run").mkdir()
    with pytest.raises(RunDirectoryExists):
        make_site(site)
    make_site(site, options=SiteOptions(force=True))
    assert not (site / "run").exists()


def test_a_link_is_not_followed_and_removed(site, tmp_path) -> None:
    (tmp_path / "link").symlink_to(site)
    with pytest.raises(RunDirectoryExists):
        make_site(tmp_path / "link", options=SiteOptions(force=True))
    assert (site / "compose.yaml").exists()


def test_another_folder_is_no_site(tmp_path) -> None:
    with pytest.raises(RunDirectoryInvalid) as caught:
        Site.open(tmp_path)
    assert "collude compose" in str(caught.value)


# --- what a party gets


def test_every_party_can_set_itself_up_from_its_own_folder(site, monkeypatch, tmp_path) -> None:
    expected = scenario_digest(quickstart())
    for party in PARTIES:
        path = Site(site).config(party) / "party.toml"
        path.write_text(path.read_text().replace(STATE, str(tmp_path / "state" / party)))
        setup = load_setup(path)
        assert setup.name == party
        assert scenario_digest(setup.scenario) == expected
        assert setup.scenario.scenario.seed is None


def test_addresses_are_those_of_the_topology(site) -> None:
    files = {p: tomllib.loads((Site(site).config(p) / "party.toml").read_text()) for p in PARTIES}
    assert files[P1]["peers"] == {ANALYST: "analyst:7400"}
    assert "listen" not in files[P1]["party"]
    assert files[P0]["party"]["listen"] == f"{P0}.tells-{P0}:7400"
    mail = [f"analyst.with-{p}:7400" for p in (P0, P1, P2)]
    assert files[ANALYST]["party"]["listen"].split(",") == mail
    assert files[ANALYST]["party"]["disclosure_listen"] == "analyst.tells-analyst:7401"
    assert files[ATTACKER]["peers"] == {ANALYST: "analyst:7401", P0: f"{P0}:7400"}


def test_paths_are_those_inside_the_container(site) -> None:
    text = "".join((Site(site).config(p) / "party.toml").read_text() for p in PARTIES)
    assert str(site) not in text
    assert f'state_dir = "{STATE}"' in text


def test_a_colluder_that_nobody_asks_serves_on_its_loopback_alone(tmp_path) -> None:
    make_site(tmp_path / "site", "collusion.attacks=[]")
    document = tomllib.loads((Site(tmp_path / "site").config(P0) / "party.toml").read_text())
    assert document["party"]["listen"] == "127.0.0.1:7400"
    assert not (tmp_path / "site" / "parties" / ATTACKER).exists()


def test_what_a_party_reads_from_its_own_folder_lies_there(tmp_path) -> None:
    make_site(tmp_path / "site", "data.source=synthetic-faces", "data.people=2")
    made = Site(tmp_path / "site")
    assert [path.name for path in made.state(ATTACKER).iterdir()] == ["public.npz"]
    assert not list(made.state(P1).iterdir())


def test_nobody_else_may_look(site) -> None:
    secret = [site / "scenario.toml"]
    for party in PARTIES:
        secret += [Site(site).config(party), Site(site).state(party)]
        secret += list(Site(site).config(party).iterdir())
    assert [p for p in secret if stat.S_IMODE(p.stat().st_mode) & 0o077] == []
    assert not list(site.rglob("ca-key.pem"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_root_gives_everything_to_the_user_of_the_containers(new_site, tmp_path) -> None:
    assert {path.stat().st_uid for path in (new_site, *new_site.rglob("*"))} == {10001}
    make_site(tmp_path / "other", options=SiteOptions(user="4711:4712"))
    owners = {(p.stat().st_uid, p.stat().st_gid) for p in (tmp_path / "other").rglob("*")}
    assert owners == {(4711, 4712)}
    assert services(tmp_path / "other")[P1]["user"] == "4711:4712"


def test_the_containers_run_as_whoever_calls(monkeypatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1234)
    monkeypatch.setattr(os, "getgid", lambda: 99)
    assert own_user() == "1234:99"
    monkeypatch.setattr(os, "getuid", lambda: 0)
    assert own_user() == "10001:10001"


# --- the compose file


def test_participants_wait_for_the_analyst_and_the_attacker_for_those_it_asks(site) -> None:
    waits = {name: set(entry.get("depends_on", ())) for name, entry in services(site).items()}
    assert waits == {ANALYST: set(), P0: {ANALYST}, P1: {ANALYST}, P2: {ANALYST},
                     ATTACKER: {ANALYST, P0}, REPORT: set()}  # fmt: skip
    for entry in services(site).values():
        conditions = [each["condition"] for each in entry.get("depends_on", {}).values()]
        assert set(conditions) <= {"service_healthy"}


def test_who_is_waited_for_says_whether_it_serves(site) -> None:
    told = services(site)
    awaited = {name for entry in told.values() for name in entry.get("depends_on", ())}
    assert {name for name, entry in told.items() if "healthcheck" in entry} == awaited


def test_only_those_who_train_have_torch(site, tmp_path) -> None:
    targets = {name: entry["build"]["target"] for name, entry in services(site).items()}
    assert {name for name, target in targets.items() if target == "trainer"} == {ANALYST, REPORT}
    make_site(tmp_path / "alone", "mechanism.method=local", "mechanism.anchor_noise=0")
    targets = {n: entry["build"]["target"] for n, entry in services(tmp_path / "alone").items()}
    assert set(targets.values()) == {"trainer"}


def test_ten_participants_are_an_override_away(tmp_path) -> None:
    make_site(tmp_path / "site", "data.participants=10")
    names = [name for name in services(tmp_path / "site") if name.startswith("participant-")]
    assert names == [f"participant-{index}" for index in range(10)]


def test_a_large_site_brings_its_own_addresses(tmp_path) -> None:
    make_site(tmp_path / "site", "data.participants=30")
    networks = yaml.safe_load((tmp_path / "site" / "compose.yaml").read_text())["networks"]
    subnets = {entry["ipam"]["config"][0]["subnet"] for entry in networks.values()}
    assert len(subnets) == len(networks) == 32


# --- the report's container


def test_the_report_is_written_by_a_container_on_no_network(site) -> None:
    entry = services(site)[REPORT]
    assert entry["network_mode"] == "none"
    assert entry["volumes"] == ["./.:/site"]
    assert load_scenario(site / "scenario.toml") == quickstart()


@pytest.mark.parametrize(
    "changes",
    [
        {"scenario": {"mode": "deployment", "seed": None}, "collusion": {"colluders": ()}},
        {"data": {"path": "mine.csv"}},
        {"auditor": {"name": "onnx-face"}},
    ],
    ids=["deployment", "the user's file", "the user's network"],
)
def test_where_the_report_needs_more_than_the_site_it_is_left_to_collude_collect(changes) -> None:
    base = quickstart()
    parts = {n: getattr(base, n).model_copy(update=values) for n, values in changes.items()}
    assert can_report(base)
    assert not can_report(base.model_copy(update=parts))
