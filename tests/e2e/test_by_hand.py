"""What somebody does on several machines: `pki init`, a scenario, one command for each party."""

import asyncio
import json

import numpy as np
import pytest
from testkit.by_hand import Consortium
from testkit.command import Said, collude
from testkit.shared import once

from collude.common.errors import ColludeError, IdentityRefused
from collude.common.ids import ANALYST, ATTACKER
from collude.common.net.mail_client import MailClient
from collude.common.net.setup import load_setup
from collude.common.net.tls import channel_credentials
from collude.common.protocol.parcel import Parcel
from collude.common.transcript import FileTranscript, read_parcels, read_transcript

pytestmark = pytest.mark.processes


def impostor(consortium: Consortium) -> list[str]:
    """Call the analyst with one party's certificate and another's message; return what it says."""

    async def attempt(caller: str, sender: str) -> str:
        setup = load_setup(consortium.config(caller))
        address = load_setup(consortium.config("participant-0")).peer(ANALYST)
        parcel = Parcel(b"", "r0_join", sender, ANALYST, 0, b"not even a message")
        client = MailClient(caller, ANALYST, address, channel_credentials(setup.tls), 10.0)
        async with client:
            try:
                await client.deliver(parcel)
            except ColludeError as error:
                return error.code
        return "accepted"

    callers = [("participant-1", "participant-0"), (ATTACKER, ATTACKER)]
    return [asyncio.run(attempt(*each)) for each in callers]


def _make(folder) -> None:
    consortium = Consortium(folder / "consortium")
    try:
        consortium.start(ANALYST)
        consortium.until_listening()
        (folder / "refused.json").write_text(json.dumps(impostor(consortium)))
        for name in consortium.participants[1:]:
            consortium.start(name)
        consortium.start("participant-0", "colluder")
        consortium.start(ATTACKER)
        said = {party: consortium.ended(party)._asdict() for party in consortium.parties}
        (folder / "said.json").write_text(json.dumps(said))
    finally:
        consortium.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return once(tmp_path_factory, "by-hand", _make)


@pytest.fixture
def state(folder):
    return lambda party: folder / "consortium" / party / "state"


def test_every_party_ends_well_and_says_so_in_one_document(folder) -> None:
    said = {name: Said(**s) for name, s in json.loads((folder / "said.json").read_text()).items()}
    assert {name: (s.code, s.json["state"]) for name, s in said.items()} == dict.fromkeys(
        said, (0, "finished")
    ), said
    assert len(said) == 5


def test_the_analyst_has_counts_of_a_good_model(state) -> None:
    outcome = json.loads((state(ANALYST) / "outcome.json").read_text())
    (counts,) = np.array(outcome["result"]["counts"]["counts"])  # one training seed
    assert counts.trace() > 0.9 * counts.sum() > 400


def test_the_attacker_has_reconstructions(state) -> None:
    folder = state(ATTACKER) / "attacks"
    assert {path.name for path in folder.iterdir()} == {
        "attacks.json", "procrustes.npz", "centred-procrustes.npz",
    }  # fmt: skip
    with np.load(folder / "procrustes.npz", allow_pickle=False) as arrays:
        assert np.isfinite(arrays["records"]).all()


def test_a_certificate_of_one_party_sends_no_message_of_another(folder, state) -> None:
    """And the attacker sends none at all; the session goes on as if nothing had come."""
    refused = json.loads((folder / "refused.json").read_text())
    assert refused == [IdentityRefused.code, IdentityRefused.code]
    joins = [e for e in read_transcript(state(ANALYST) / "transcripts", ANALYST)
             if e.round == "r0_join"]  # fmt: skip
    assert len(joins) == 3
    assert b"not even a message" not in b"".join(
        p.body for p in read_parcels(state(ANALYST) / "transcripts", ANALYST)
    )


def test_nothing_is_wrong_with_the_certificates_afterwards(folder) -> None:
    said = collude("pki", "check", folder / "consortium", "--json")
    assert (said.code, said.json) == (0, {"findings": []})


def test_a_second_session_goes_on_with_the_transcript(tmp_path) -> None:
    """Started again by hand, a party appends; it must not write over what it noted before."""
    for body in (b"first", b"second"):
        transcript = FileTranscript(tmp_path, ANALYST, lambda: 0.0)
        transcript.record(Parcel(b"", "r0_join", "participant-0", ANALYST, 0, body))
    assert [parcel.body for parcel in read_parcels(tmp_path, ANALYST)] == [b"first", b"second"]


def test_a_scenario_that_is_not_there_is_named(tmp_path) -> None:
    consortium = Consortium(tmp_path / "consortium", participants=2)
    (tmp_path / "consortium" / "scenario.toml").unlink()
    said = collude("analyst", "--config", consortium.config(ANALYST), "--json")
    assert said.code == 2
    assert "scenario.toml" in said.json["error"]["reason"]


def test_a_command_for_another_role_is_refused(tmp_path) -> None:
    consortium = Consortium(tmp_path / "consortium")
    said = collude("participant", "--config", consortium.config(ANALYST), "--json")
    assert (said.code, said.json["error"]["field"]) == (2, "party.role")
    said = collude("colluder", "--config", consortium.config("participant-1"), "--json")
    assert (said.code, said.json["error"]["field"]) == (2, "collusion.colluders")


def test_a_scenario_with_other_participants_than_the_roster_is_refused(tmp_path) -> None:
    changes = {"participants = 3": "participants = 4"}
    consortium = Consortium(tmp_path / "consortium", changes=changes)
    said = collude("analyst", "--config", consortium.config(ANALYST), "--json")
    assert (said.code, said.json["error"]["field"]) == (2, "roster")
    assert "participant-3" in said.json["error"]["expected"]
