import datetime as dt
import shutil
import stat

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from collude.common.errors import RunDirectoryExists, ScenarioInvalid
from collude.common.net import pki
from collude.common.party_file import load_party_file

NOW = dt.datetime(2030, 1, 2, tzinfo=dt.UTC)
PARTIES = {"analyst": ["10.0.0.9", "hub.example.org"], "attacker": [], "participant-0": [],
           "participant-1": []}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    directory = tmp_path_factory.mktemp("pki") / "mit Raum é"
    pki.init(directory, PARTIES, now=NOW, days=10)
    return directory


@pytest.fixture
def copy(made, tmp_path):
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def codes(directory, now=NOW) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for finding in pki.check(directory, now=now):
        found.setdefault(finding.party, set()).add(finding.code)
    return found


@pytest.mark.parametrize(
    "parties",
    [
        {"Analyst": []},
        {"ca": []},
        {"localhost": []},
        {"a": ["b"], "b": []},
        {"a": ["B"], "b": []},
        {"a": ["not a host"]},
        {"a": ["https://x"]},
        {"../a": []},
    ],
)
def test_names_and_hosts_that_cannot_be_used_are_refused(tmp_path, parties):
    with pytest.raises(ScenarioInvalid):
        pki.init(tmp_path / "x", parties)
    assert list(tmp_path.iterdir()) == []


def test_an_existing_directory_is_refused_and_left_alone(tmp_path):
    with pytest.raises(RunDirectoryExists):
        pki.init(tmp_path, PARTIES)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_when_it_fails_half_way(tmp_path):
    with pytest.raises(TypeError):
        pki.init(tmp_path / "x", PARTIES, layout=pki.Layout(scenario=object()))  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_fresh_one_is_in_order(made):
    assert pki.check(made, now=NOW) == []
    assert pki.check(made / "participant-0", now=NOW) == []


def test_only_the_owner_can_read_folders_and_keys(made):
    modes = {p.relative_to(made): stat.S_IMODE(p.stat().st_mode) for p in made.rglob("*")}
    for path, mode in modes.items():
        if (made / path).is_dir() or path.name in {"ca-key.pem", "key.pem", "signing-key.pem"}:
            assert mode & 0o077 == 0, path
    assert sum(path.name == "ca-key.pem" for path in modes) == 1


def test_a_certificate_carries_name_hosts_and_loopback(made):
    cert = x509.load_pem_x509_certificate((made / "analyst" / "cert.pem").read_bytes())
    names = cert.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["analyst", "hub.example.org", "localhost"]
    assert [str(ip) for ip in names.get_values_for_type(x509.IPAddress)] == [
        "10.0.0.9", "127.0.0.1", "::1",
    ]  # fmt: skip


def test_party_files_pin_the_same_roster_and_name_those_they_call(made):
    files = {name: load_party_file(made / name / "party.toml") for name in PARTIES}
    assert len({str(file.members()) for file in files.values()}) == 1
    assert files["participant-1"].peers == {"analyst": "10.0.0.9:7400"}
    assert files["attacker"].peers == {
        "analyst": "10.0.0.9:7401",
        "participant-0": "127.0.0.1:7402",
        "participant-1": "127.0.0.1:7403",
    }
    assert files["analyst"].party.listen == "0.0.0.0:7400"
    assert files["analyst"].disclosure_address == "0.0.0.0:7401"
    assert files["participant-1"].disclosure_address == "127.0.0.1:7403"
    assert files["attacker"].party.listen is None


def test_a_seed_determines_the_signing_key_alone(tmp_path):
    seed = bytes(range(32))
    for name in ("one", "two"):
        pki.init(tmp_path / name, {"analyst": []}, seeds={"analyst": seed})
    one, two = (tmp_path / name / "analyst" for name in ("one", "two"))
    expected = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw().hex()
    for folder in (one, two):
        assert load_party_file(folder / "party.toml").roster == {"analyst": f"ed25519:{expected}"}
        key = load_pem_private_key((folder / "signing-key.pem").read_bytes(), None)
        assert key.private_bytes_raw() == seed
    assert (one / "key.pem").read_bytes() != (two / "key.pem").read_bytes()


@pytest.mark.parametrize(("days", "code"), [(11, "E-PKI-EXPIRED"), (-1, "E-PKI-EARLY")])
def test_time_is_checked(made, days, code):
    found = codes(made, NOW + dt.timedelta(days=days))
    assert found == {name: {code} for name in PARTIES}


def swap(directory, file, into="participant-0", source="participant-1"):
    shutil.copy(directory / source / file, directory / into / file)


def test_another_authority_is_found(copy, tmp_path):
    pki.init(tmp_path / "other", {"participant-1": []}, now=NOW)
    shutil.copy(tmp_path / "other" / "participant-1" / "ca.pem", copy / "participant-0")
    assert codes(copy) == {"participant-0": {"E-PKI-CA"}}


def test_another_partys_certificate_and_key_are_found(copy):
    swap(copy, "cert.pem")
    assert codes(copy) == {"participant-0": {"E-PKI-NAME", "E-PKI-KEY"}}
    swap(copy, "key.pem")
    assert codes(copy) == {"participant-0": {"E-PKI-NAME"}}


def test_another_signing_key_and_another_roster_are_found(copy):
    swap(copy, "signing-key.pem")
    assert codes(copy) == {"participant-0": {"E-PKI-ROSTER"}}
    path = copy / "participant-1" / "party.toml"
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("attacker = ")]
    path.write_text("\n".join(kept), encoding="utf-8")
    assert codes(copy) == {p: {"E-PKI-ROSTER"} for p in ("participant-0", "participant-1")}


def test_open_modes_and_a_stray_authority_key_are_found(copy):
    (copy / "participant-0" / "key.pem").chmod(0o640)
    (copy / "participant-1").chmod(0o755)
    (copy / "ca" / "ca-key.pem").chmod(0o604)
    shutil.copy(copy / "ca" / "ca-key.pem", copy / "attacker")
    assert codes(copy) == {
        "participant-0": {"E-PKI-MODE"},
        "participant-1": {"E-PKI-MODE"},
        "ca": {"E-PKI-MODE"},
        "attacker": {"E-PKI-CA-KEY"},
    }


@pytest.mark.parametrize(
    ("file", "content", "code"),
    [
        ("cert.pem", b"rubbish", "E-PKI-PEM"),
        ("key.pem", b"rubbish", "E-PKI-KEY"),
        ("signing-key.pem", b"rubbish", "E-PKI-KEY"),
        ("party.toml", b"[party", "E-PKI-PARTY"),
        ("cert.pem", None, "E-PKI-FILE"),
        ("signing-key.pem", None, "E-PKI-FILE"),
    ],
)
def test_broken_and_missing_files_are_found(copy, file, content, code):
    path = copy / "participant-0" / file
    path.unlink() if content is None else path.write_bytes(content)
    assert codes(copy) == {"participant-0": {code}}


def test_a_folder_without_parties_is_a_finding_with_a_hint(tmp_path):
    (finding,) = pki.check(tmp_path)
    assert finding.code == "E-PKI-EMPTY"
    assert finding.hint in str(finding)
