"""`collude participant | analyst | ...`: what is refused before anything is opened."""

import contextlib
import datetime as dt
import io
import shutil

import pytest
from testkit.by_hand import Consortium
from testkit.command import collude, program

from collude.common.net import pki
from collude.common.outcome import FINISHED, Outcome
from collude.runtime.cli.party import show_outcome

NAME = "participant-1"
PAIR = {"participants = 3": "participants = 2"}


@pytest.fixture
def consortium(tmp_path):
    return Consortium(tmp_path / "consortium", 2, PAIR)


def other(tmp_path, **options):
    """Another consortium, with its own CA."""
    pki.init(tmp_path / "other", dict.fromkeys(["analyst", "participant-0", NAME], ()), **options)
    return tmp_path / "other"


def missing(folder, tmp_path):
    (folder / "cert.pem").unlink()


def missing_key(folder, tmp_path):
    (folder / "key.pem").unlink()


def no_certificate(folder, tmp_path):
    (folder / "cert.pem").write_text("-----BEGIN CERTIFICATE-----\nbogus\n")


def expired(folder, tmp_path):
    then = dt.datetime.now(dt.UTC) - dt.timedelta(days=800)
    _take_all(folder, other(tmp_path, now=then) / NAME)


def not_yet_valid(folder, tmp_path):
    later = dt.datetime.now(dt.UTC) + dt.timedelta(days=2)
    _take_all(folder, other(tmp_path, now=later) / NAME)


def other_ca(folder, tmp_path):
    stranger = other(tmp_path) / NAME
    shutil.copy(stranger / "cert.pem", folder)
    shutil.copy(stranger / "key.pem", folder)


def name_mismatch(folder, tmp_path):
    for file in ("cert.pem", "key.pem"):
        shutil.copy(folder.parent / "participant-0" / file, folder)


def wrong_key(folder, tmp_path):
    shutil.copy(folder.parent / "participant-0" / "key.pem", folder)


def wrong_signing_key(folder, tmp_path):
    shutil.copy(folder.parent / "participant-0" / "signing-key.pem", folder)


def _take_all(folder, source):
    for file in ("ca.pem", "cert.pem", "key.pem"):
        shutil.copy(source / file, folder)


SPOILT = {
    missing: "cert.pem",
    missing_key: "key.pem",
    no_certificate: "cert",
    expired: "tls",  # the CA's has expired with it
    not_yet_valid: "tls",
    other_ca: "cert",
    name_mismatch: "cert",
    wrong_key: "key",
    wrong_signing_key: "signing_key",
}


@pytest.mark.parametrize("spoil", SPOILT, ids=lambda spoil: spoil.__name__)
def test_a_certificate_that_cannot_be_used_is_named(consortium, tmp_path, spoil) -> None:
    spoil(consortium.folder / NAME, tmp_path)
    said = collude("participant", "--config", consortium.config(NAME), "--json")
    error = said.json["error"]
    assert (said.code, error["code"], error["party"]) == (2, "E-TLS-LOCAL", NAME)
    assert SPOILT[spoil] in error["field"]
    assert "PRIVATE" not in said.out + said.err


def test_a_party_file_that_is_not_there_is_named(tmp_path) -> None:
    said = collude("analyst", "--config", tmp_path / "party.toml", "--json")
    assert said.code == 2
    assert "party.toml" in said.json["error"]["reason"]


def test_an_unknown_key_in_a_party_file_names_the_nearest(consortium) -> None:
    path = consortium.config(NAME)
    path.write_text(path.read_text().replace("listen = ", "lisen = "))
    said = collude("participant", "--config", path, "--json")
    assert (said.code, said.json["error"]["field"]) == (2, "party.lisen")
    assert "'listen'" in said.json["error"]["hint"]


def test_a_party_without_the_analysts_address_says_what_is_missing(consortium) -> None:
    path = consortium.config(NAME)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(li for li in lines if not li.startswith('analyst = "127')))
    said = program("participant", "--config", path, "--json")
    assert (said.code, said.json["error"]["field"]) == (2, "peers.analyst")


def test_a_part_that_ended_well_says_whom_it_did_without():
    stderr = io.StringIO()
    with contextlib.redirect_stderr(stderr):
        show_outcome("attacker", Outcome(FINISHED, warnings=["[E-X] participant-0: [late]" * 9]))
    assert stderr.getvalue().splitlines() == [
        "attacker: finished",
        "  warning   " + "[E-X] participant-0: [late]" * 9,
    ]
