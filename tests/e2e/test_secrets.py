"""The analyst never learns A or the joint seed; nobody but themselves gives A to participants."""

import ast
import json
import os
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from testkit.command import ROOT
from testkit.knowledge import PARTICIPANTS, anchor, joint, known_to_analyst, secrets
from testkit.memory import in_files, in_memory

from collude.common.geometry.expansion import expand_anchor
from collude.common.ids import ANALYST
from collude.common.protocol.codec import decode_message
from collude.common.protocol.messages import AnchorConfirms
from collude.common.transcript import read_parcels

pytestmark = pytest.mark.processes

OWN_WORK = {"disclosable.npz"}  # what a participant writes at its end, from what it holds itself


@pytest.fixture(scope="module")
def run(watched):
    return watched.run


def files_of(run, party) -> Iterator[Path]:
    """A party's folder, transcript and log, apart from what it wrote for later."""
    places = [run.root / "parties" / party, run.transcripts / party]
    inside = chain.from_iterable(place.rglob("*") for place in places)
    logs = run.logs.glob(f"{party}.*")
    found = (*inside, *logs, run.transcripts / f"{party}.jsonl")
    return (path for path in found if path.is_file() and path.name not in OWN_WORK)


def test_the_secrets_looked_for_are_those_of_the_run(run) -> None:
    seed, _ = joint(run)
    assert np.array_equal(expand_anchor(seed, 65, 64), anchor(run))
    (confirms,) = (
        message
        for parcel in read_parcels(run.transcripts, "participant-1")
        if isinstance(message := decode_message(parcel.body), AnchorConfirms)
    )
    hashes = {named.confirm.seed_hash for named in confirms.confirms}
    assert hashes == {known_to_analyst(run)["hash of the joint seed"]}


def test_the_search_finds_every_form_where_it_is(run, tmp_path) -> None:
    planted = secrets(run)
    kept = [bytearray(b"before" + needle + b"after") for needle in planted.values()]
    assert all(in_memory(os.getpid(), planted).values())
    (tmp_path / "leak").write_bytes(b"".join(kept))
    assert all(in_files(iter([tmp_path / "leak"]), planted).values())


def test_the_analysts_memory_holds_uploads_but_neither_anchor_nor_seed(run, watched) -> None:
    remembered = watched.remembered
    assert all(remembered[name] for name in known_to_analyst(run))
    assert {name: remembered[name] for name in secrets(run)} == dict.fromkeys(secrets(run), 0)


def test_the_analysts_files_hold_uploads_but_neither_anchor_nor_seed(run) -> None:
    assert all(in_files(files_of(run, ANALYST), known_to_analyst(run)).values())
    assert not any(in_files(files_of(run, ANALYST), secrets(run)).values())


@pytest.mark.parametrize("party", PARTICIPANTS)
def test_no_participant_is_handed_the_anchor(run, watched, party) -> None:
    """Neither in its folder and its mail, nor by its command line, nor by its environment."""
    everywhere = secrets(run)
    assert not any(in_files(files_of(run, party), everywhere).values())
    (note,) = (note for note in watched.hook.notes() if note.party == party)
    told = json.dumps([note.argv, note.environ]).encode()
    assert not [name for name, needle in everywhere.items() if needle in told]


def test_a_participant_knows_no_other_ones_seed(run) -> None:
    seeds = {p: (run.root / "parties" / p / "seed").read_bytes() for p in (*PARTICIPANTS, ANALYST)}
    assert len(set(seeds.values())) == len(seeds)
    for party in seeds:
        others = {p: needle for p, needle in seeds.items() if p != party}
        raw = {f"{p}, raw": bytes.fromhex(n.decode()) for p, n in others.items()}
        assert not any(in_files(files_of(run, party), others | raw).values())


def test_the_master_seed_stays_with_the_runtime(run) -> None:
    for party in (*PARTICIPANTS, ANALYST, "attacker"):
        text = (run.root / "parties" / party / "scenario.toml").read_text()
        assert not {"seed", "seed_digest"} & set(tomllib.loads(text)["scenario"])


def imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    found = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module)
    return {f"{node.module}.{alias.name}" for node in found for alias in node.names}


def test_only_a_participant_makes_the_anchor() -> None:
    """No code of runtime, analyst or attacker can: it imports nothing that makes it."""
    makers = {"expansion", "joint", "expand_anchor", "expand_transform", "joint_material",
              "centered_orthonormal_anchor"}  # fmt: skip
    folders = ("runtime", "analyst", "attacker", "participant")
    users = {
        str(path.relative_to(ROOT))
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if any(makers & set(name.split(".")) for name in imports(path))
    }
    assert users == {
        "participant/colluders.py",  # a liar makes a false one up
        "participant/joint.py",  # makes it out of the joint seed
        "participant/r1_anchor.py",  # compares hashes
        "participant/silo.py",  # uses it for the upload
    }
