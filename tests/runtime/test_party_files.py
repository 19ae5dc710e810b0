"""What each party of a run is given: its own things, and no more."""

import tomllib

import numpy as np
import pytest
from testkit.federation import P0, P1, P2, federation

from collude.common.data import load_share
from collude.common.ids import ANALYST, ATTACKER
from collude.common.net import pki
from collude.common.net.setup import load_setup
from collude.common.scenario import scenario_digest
from collude.runtime.party_files import write_party_file, write_party_folders
from collude.runtime.rundir import RunDirectory

PARTIES = (ANALYST, P0, P1, P2, ATTACKER)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = RunDirectory.create(tmp_path_factory.mktemp("parties") / "run")
    write_party_folders(federation(), run)
    return run


@pytest.fixture(scope="module")
def setups(run):
    peers = {P0: {ANALYST: "127.0.0.1:7400"}}
    files = {p: write_party_file(federation(), run, p, peers.get(p, {})) for p in PARTIES}
    return {party: load_setup(path) for party, path in files.items()}


def test_the_folders_have_nothing_wrong_and_no_ca_key(run, setups) -> None:
    for party in PARTIES:
        assert pki.check(run.root / "parties" / party) == []
    assert not list(run.root.rglob("ca-key.pem"))
    assert not (run.root / "pki").exists()


def test_every_party_runs_the_same_scenario_without_the_master_seed(setups) -> None:
    expected = scenario_digest(federation().scenario)
    for setup in setups.values():
        assert scenario_digest(setup.scenario) == expected
        assert setup.scenario.scenario.seed is None


def test_every_party_pins_the_same_roster_and_has_its_own_key(setups) -> None:
    for party, setup in setups.items():
        assert setup.roster.hash == federation().roster.hash
        assert setup.signing_key.public == federation().roster.keys[party]


def test_every_party_draws_from_its_own_seed(setups) -> None:
    drawn = {p: setup.entropy.secret("anything") for p, setup in setups.items()}
    assert drawn == {p: federation().entropy(p).secret("anything") for p in PARTIES}
    assert len(set(drawn.values())) == len(PARTIES)


def test_participants_have_their_records_and_the_others_none(run) -> None:
    for name, share in federation().shares.items():
        stored = load_share(run.root / "parties" / name / "records.npz", name)
        assert np.array_equal(stored.records, share.records)
    for name in (ANALYST, ATTACKER):
        assert not list((run.root / "parties" / name).glob("records*"))


def test_a_party_calls_whom_it_is_told_and_serves_on_any_port(run, setups) -> None:
    assert setups[P0].peer(ANALYST) == "127.0.0.1:7400"
    text = (run.root / "parties" / ANALYST / "party.toml").read_text()
    party = tomllib.loads(text)["party"]
    assert (party["listen"], party["disclosure_listen"]) == ("127.0.0.1:0", "127.0.0.1:0")
    assert (
        "listen"
        not in tomllib.loads((run.root / "parties" / ATTACKER / "party.toml").read_text())["party"]
    )


def test_secret_files_are_for_their_owner_alone(run) -> None:
    for party in PARTIES:
        for name in ("key.pem", "signing-key.pem", "seed", "records.npz"):
            path = run.root / "parties" / party / name
            assert not path.exists() or path.stat().st_mode & 0o077 == 0


def test_a_simulation_gives_the_same_signing_keys_and_other_certificates(run, tmp_path) -> None:
    """Certificates come from the system, and enter no digest."""
    again = RunDirectory.create(tmp_path / "again")
    write_party_folders(federation(), again)
    for party in PARTIES:
        ours, theirs = (r.root / "parties" / party for r in (run, again))
        for name, same in (("signing-key.pem", True), ("seed", True), ("key.pem", False)):
            assert ((ours / name).read_bytes() == (theirs / name).read_bytes()) is same
