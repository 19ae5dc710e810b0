"""Nothing secret leaves a participant, in any form: every party as a process of its own.

The searcher is proved by `tests/runtime/test_canary_inprocess.py`, form by form; here it is
proved once more on the files of the run.
"""

from pathlib import Path

import pytest
from testkit import planted
from testkit.canary import Searcher, byte_needles
from testkit.shared import once

from collude.runtime import runner
from collude.runtime.rundir import RunDirectory

pytestmark = pytest.mark.processes

COLLUDER = "participant-0"
ATTACKS = ("procrustes", "centred-procrustes")
PARTIES = ("analyst", "attacker", *(f"participant-{i}" for i in range(planted.PARTICIPANTS)))


@pytest.fixture(scope="module")
def federation():
    return planted.planted(colluders=[COLLUDER], attacks=ATTACKS)


@pytest.fixture(scope="module")
def run(tmp_path_factory, federation) -> RunDirectory:
    """A whole run over mutual TLS, scored and reported."""

    def make(folder: Path) -> None:
        made = RunDirectory.create(folder / "run")
        options = runner.Options(out=made.root, runtime="processes", compare=False)
        runner._run(federation, made, options)

    return RunDirectory(once(tmp_path_factory, "canary", make) / "run")


@pytest.fixture(scope="module")
def canaries(federation, run):
    """All secrets that the seeds give, and the keys of the certificates."""
    pems = {party: (run.party(party) / "key.pem").read_bytes() for party in PARTIES}
    return planted.canaries(federation, planted.session_of(run)) | {
        f"{party}/TLS key": byte_needles(planted.tls_key(pem)) for party, pem in pems.items()
    }


def own_place(place: Path, secret: str) -> bool:
    """Whether a party's own folder, or the truth about it, may hold this secret of its."""
    owner, what = secret.split("/", 1)
    if place.parts[0] == "truth":
        return place.stem == owner and what in {"X", "O", "psi"}
    if owner == planted.SHARED:
        return place.match("parties/participant-*/disclosable.npz") and what == "A"
    return place.parts[:2] == ("parties", owner)


def disclosed(place: Path, secret: str) -> bool:
    """Whether a colluder has told the attacker, as the scenario says."""
    told = {f"{COLLUDER}/X", f"{COLLUDER}/O", f"{COLLUDER}/psi", f"{planted.SHARED}/A"}
    return place.parts[:2] == ("parties", "attacker") and secret in told


def test_nothing_secret_is_found_where_it_does_not_belong(run, canaries) -> None:
    searcher = Searcher(canaries)
    assert not searcher.under(run.root, skip=lambda p, s: own_place(p, s) or disclosed(p, s))


@pytest.mark.parametrize("party", ["participant-0", "participant-1", "participant-2"])
def test_each_participants_own_folder_is_seen_to_hold_its_own(run, canaries, party) -> None:
    found = Searcher(canaries).under(run.root / "parties" / party, skip=lambda *_: False)
    kept = {leak.secret for leak in found}
    own = ("X", "held-out X", "O", "psi", "party seed", "signing key", "TLS key")
    assert {f"{party}/{what}" for what in own} <= kept
    assert all(secret.split("/")[0] in {party, planted.SHARED} for secret in kept)


def test_what_does_leave_is_found_at_the_analyst_alone(run) -> None:
    uploads = planted.sent(run)
    found = Searcher(uploads).under(run.root, skip=lambda *_: False)
    assert {leak.secret for leak in found} == set(uploads)
    assert {Path(leak.file).parts[:2] for leak in found} == {("transcripts", "analyst")}


def test_every_kind_of_output_was_searched(run) -> None:
    files = {
        path.relative_to(run.root).as_posix() for path in run.root.rglob("*") if path.is_file()
    }
    assert {"manifest.json", "results.json", "report.html", "status.json"} <= files
    for party in PARTIES:
        assert {
            f"logs/{party}.jsonl",
            f"logs/{party}.stderr",
            f"parties/{party}/outcome.json",
        } <= files
    assert {f"attacks/{attack}.npz" for attack in ATTACKS} <= files
