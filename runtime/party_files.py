"""The folders of all parties of a run: certificates, keys, seeds, records, party files."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import tomli_w

from collude.common.atomic import PRIVATE, write_atomically
from collude.common.ids import ANALYST, ATTACKER, role_of
from collude.common.net import pki
from collude.common.roster import format_key
from collude.common.scenario import party_view
from collude.runtime.federation import Federation
from collude.runtime.rundir import RunDirectory

ANY_PORT = "127.0.0.1:0"
SCENARIO, SEED, RECORDS, PARTY = "scenario.toml", "seed", "records.npz", "party.toml"


def write_party_folders(federation: Federation, run: RunDirectory) -> None:
    """Give each party its folder, mode 0700, with all it needs but its party file.

    The CA's key is not kept: nobody joins later.
    """
    names = [member.name for member in federation.roster.members]
    seeds = {name: federation.signing_seed(name) for name in names}
    made = run.root / "pki"
    pki.init(made, dict.fromkeys(names, ()), seeds=seeds)
    for name in names:
        folder = run.party(name)
        for file in (made / name).iterdir():
            shutil.move(file, folder / file.name)
        _write_own(federation, name, folder)
    shutil.rmtree(made)


def _write_own(federation: Federation, name: str, folder: Path) -> None:
    text, _ = party_view(federation.scenario)
    write_atomically(folder / SCENARIO, text.encode())
    if federation.scenario.simulated:
        write_atomically(folder / SEED, federation.seeds[name].hex().encode(), PRIVATE)
    federation.write_records(name, folder / RECORDS)
    if name == ATTACKER:
        federation.write_known(folder)


def write_party_file(
    federation: Federation, run: RunDirectory, name: str, peers: Mapping[str, str]
) -> Path:
    """Write the party file of `name`, which calls `peers` at these addresses; return its path."""
    folder = run.party(name)
    document = {
        "party": _party_section(federation, run, name),
        "peers": dict(peers),
        "tls": {"ca": "ca.pem", "cert": "cert.pem", "key": "key.pem"},
        "identity": {"signing_key": "signing-key.pem"},
        "roster": {m.name: format_key(m.key) for m in federation.roster.members},
    }
    path = folder / PARTY
    write_atomically(path, tomli_w.dumps(document).encode())
    return path


def _party_section(federation: Federation, run: RunDirectory, name: str) -> dict[str, str]:
    section = {
        "name": name,
        "role": role_of(name).value,
        "state_dir": ".",
        "scenario": SCENARIO,
        "transcript_dir": str(run.transcripts.absolute()),
        "log_file": str((run.logs / f"{name}.jsonl").absolute()),
    }
    if federation.scenario.simulated:
        section |= {"seed_file": SEED, "seed_digest": party_view(federation.scenario)[1]}
    if (run.party(name) / RECORDS).exists():
        section["records"] = RECORDS
    if name != ATTACKER:
        section["listen"] = ANY_PORT
    if name == ANALYST:
        section["disclosure_listen"] = ANY_PORT
    return section
