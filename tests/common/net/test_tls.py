import datetime as dt
import shutil

import pytest

from collude.common.errors import CertificateInvalid
from collude.common.net import pki
from collude.common.net.tls import load_tls
from collude.common.party_file import load_party_file

NOW = dt.datetime(2030, 1, 2, tzinfo=dt.UTC)
PARTIES = {"analyst": [], "participant-0": []}


@pytest.fixture
def folder(tmp_path):
    pki.init(tmp_path / "é pki", PARTIES, now=NOW, days=10)
    return tmp_path / "é pki"


def load(folder, now=NOW):
    return load_tls(load_party_file(folder / "participant-0" / "party.toml"), now=now)


@pytest.mark.parametrize(("days", "text"), [(11, "expired"), (-1, "not yet valid")])
def test_out_of_time_is_refused_before_any_call(folder, days, text):
    with pytest.raises(CertificateInvalid, match=text) as caught:
        load(folder, NOW + dt.timedelta(days=days))
    assert caught.value.party == "participant-0"
    assert caught.value.hint


@pytest.mark.parametrize("name", ["ca.pem", "cert.pem", "key.pem"])
@pytest.mark.parametrize("content", [None, b"", b"rubbish"])
def test_a_file_that_cannot_be_read_is_named(folder, name, content):
    path = folder / "participant-0" / name
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(CertificateInvalid) as caught:
        load(folder)
    assert name.removesuffix(".pem") in caught.value.field


@pytest.mark.parametrize("name", ["cert.pem", "key.pem"])
def test_another_partys_file_is_refused(folder, name):
    shutil.copy(folder / "analyst" / name, folder / "participant-0" / name)
    with pytest.raises(CertificateInvalid):
        load(folder)


def test_another_authority_is_refused(folder, tmp_path):
    pki.init(tmp_path / "other", PARTIES, now=NOW)
    shutil.copy(tmp_path / "other" / "ca" / "ca.pem", folder / "participant-0" / "ca.pem")
    with pytest.raises(CertificateInvalid, match="CA"):
        load(folder)


def test_what_is_in_order_is_loaded_and_its_key_is_not_shown(folder):
    files = load(folder)
    assert files.key == (folder / "participant-0" / "key.pem").read_bytes()
    assert "PRIVATE" not in repr(files)
