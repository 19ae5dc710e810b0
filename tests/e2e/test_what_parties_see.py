"""The system's view of every party during a run over the network, and the person's."""

import json
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID
from testkit.watching import living, log_events

from collude.common.ids import ANALYST, ATTACKER, participant_name
from collude.common.transcript import read_transcript

pytestmark = pytest.mark.processes

PARTICIPANTS = tuple(participant_name(i) for i in range(3))
PARTIES = (ANALYST, *PARTICIPANTS, ATTACKER)
COMMANDS = {ANALYST: "analyst", ATTACKER: "attacker", "participant-0": "colluder",
            "participant-1": "participant", "participant-2": "participant"}  # fmt: skip


@pytest.fixture(scope="module")
def notes(watched):
    return {note.party: note for note in watched.hook.notes() if note.party}


def test_five_parties_are_five_processes_of_one_parent(watched, notes) -> None:
    (parent,) = (note for note in watched.hook.notes() if not note.party)
    assert set(notes) == set(PARTIES)
    assert len({note.pid for note in notes.values()}) == len(PARTIES)
    assert {note.parent for note in notes.values()} == {parent.pid}


def test_each_party_is_started_by_its_own_command_and_told_its_file_only(watched, notes) -> None:
    for party, note in notes.items():
        config = watched.run.root / "parties" / party / "party.toml"
        assert note.argv[-3:] == [COMMANDS[party], "--config", str(config)]
        (seed,) = (path.read_text() for path in [config.parent / "seed"])
        assert seed not in json.dumps([note.argv, note.environ])


def test_no_party_looks_into_anothers_folder_or_at_the_truth(watched, notes) -> None:
    root = Path(watched.run.root).resolve()
    for party, note in notes.items():
        own = [
            root / "parties" / party,
            root / "transcripts" / party,
            root / "transcripts" / f"{party}.jsonl",
            root / "transcripts",  # its folder is made there if it is missing
            *(root / "logs" / f"{party}.{kind}" for kind in ("jsonl", "stderr")),
        ]
        opened = note.opened(root)
        assert root / "parties" / party / "party.toml" in opened  # the hook sees what is opened
        strangers = [
            p for p in opened if p not in own and not any(p.is_relative_to(o) for o in own[:2])
        ]
        assert not strangers, (party, strangers)


def test_the_hook_sees_a_file_of_another_party(watched) -> None:
    (parent,) = (note for note in watched.hook.notes() if not note.party)
    opened = {path.parent.name for path in parent.opened(watched.run.root) if path.suffix == ".npz"}
    assert opened >= {"participant-1", "truth"}  # the parent scores: it reads what nobody else may


def test_the_analyst_holds_no_file_of_others_open(watched) -> None:
    root = str(watched.run.root.resolve())
    inside = {Path(p).relative_to(root) for p in watched.held_open if p.startswith(root)}
    assert inside == {Path("logs/analyst.jsonl"), Path("logs/analyst.stderr")}


def test_senders_are_the_names_in_the_certificates(watched) -> None:
    certified = {name: _common_name(watched.run.party(name) / "cert.pem") for name in PARTIES}
    assert certified == {name: name for name in PARTIES}
    to_analyst = {entry.sender for entry in read_transcript(watched.run.transcripts, ANALYST)}
    assert to_analyst == {certified[name] for name in PARTICIPANTS}
    for name in PARTICIPANTS:
        entries = read_transcript(watched.run.transcripts, name)
        assert {(e.sender, e.receiver) for e in entries} == {(ANALYST, name)}


def _common_name(path: Path) -> str:
    certificate = x509.load_pem_x509_certificate(path.read_bytes())
    return certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value


def test_only_the_attacker_was_told_and_only_by_the_coalition(watched) -> None:
    told = {
        (party, event["to"])
        for party in PARTIES
        for event in log_events(watched.run.logs / f"{party}.jsonl")
        if event["event"] == "disclosed"
    }
    assert told == {(ANALYST, ATTACKER), ("participant-0", ATTACKER)}


def test_parties_folders_are_for_their_owner_alone(watched) -> None:
    for party in PARTIES:
        folder = watched.run.root / "parties" / party
        assert folder.stat().st_mode & 0o077 == 0
        for name in ("key.pem", "signing-key.pem", "seed"):
            assert (folder / name).stat().st_mode & 0o077 == 0
    assert (watched.run.root / "truth").stat().st_mode & 0o077 == 0


def test_no_key_of_the_ca_is_left(watched) -> None:
    assert not list(watched.run.root.rglob("ca-key.pem"))


def test_it_went_well_in_spite_of_proxies_and_an_unusual_path(watched) -> None:
    said = watched.said
    assert said.code == 0, said.err
    assert {" ", "ä", "Ü"} <= set(str(watched.run.root))
    assert watched.run.status().state == "finished"
    assert watched.run.report.stat().st_size > 10_000


def test_stdout_is_one_document_the_stored_results_and_prose_is_elsewhere(watched) -> None:
    said = watched.said
    assert said.json == watched.run.results()
    assert "the participants join" in said.err or "they upload" in said.err
    assert "report:" in said.err


def test_nobody_lives_on(watched) -> None:
    assert living(watched.run.root) == []
