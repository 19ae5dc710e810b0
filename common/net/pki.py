"""A consortium's public-key infrastructure as files: a CA, and a folder for each party.

`DIR/ca/` holds the CA's certificate and key and stays with whoever made it; `DIR/NAME/` is all
that the party NAME needs, and is handed to it alone.
"""

import datetime as dt
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli_w
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from collude.common.errors import RunDirectoryExists, ScenarioInvalid
from collude.common.ids import ANALYST, COORDINATOR, Role, check_name, role_of
from collude.common.net.address import Address, is_host
from collude.common.net.certificates import (
    AUTHORITY,
    LOOPBACK,
    Issued,
    make_authority,
    make_leaf,
    private_pem,
)
from collude.common.net.pki_check import Finding, check
from collude.common.roster import format_key

__all__ = ["Finding", "Layout", "check", "init"]

DEFAULT_DAYS = 365
_RESERVED = (AUTHORITY, *LOOPBACK)


@dataclass(frozen=True, slots=True)
class Layout:
    """What the party files say besides names and keys.

    Attributes:
        scenario: path of the scenario, as seen from a party's folder.
        first_port: the analyst's port; its disclosure port and the participants' ports follow.
    """

    scenario: str = "../scenario.toml"
    first_port: int = 7400


DEFAULT_LAYOUT = Layout()


def init(
    directory: str | Path,
    parties: Mapping[str, Sequence[str]],
    *,
    now: dt.datetime | None = None,
    days: int = DEFAULT_DAYS,
    seeds: Mapping[str, bytes] | None = None,
    layout: Layout = DEFAULT_LAYOUT,
) -> None:
    """Make a CA and all that each party needs, or nothing at all.

    Args:
        directory: is made; must not exist.
        parties: name -> hosts (DNS names or IP addresses) at which others reach the party,
            beside loopback; the first stands in the others' files.
        now: start of validity, timezone-aware; None is the present.
        days: length of validity.
        seeds: name -> 32-byte seed of its signing key, for simulations only; a party without
            one gets a key from the operating system.
        layout: ports and scenario for the party files.

    Raises:
        RunDirectoryExists: the directory exists.
        ScenarioInvalid: a name or host cannot be used.
    """
    target = Path(directory)
    _check_parties(parties)
    if target.exists():
        raise RunDirectoryExists(
            "the directory exists", field=str(target), hint="Choose another, or remove it."
        )
    start = now or dt.datetime.now(dt.UTC)
    signing = {name: _signing_key((seeds or {}).get(name)) for name in parties}
    roster = {name: _fingerprint(key) for name, key in signing.items()}
    authority = make_authority(start, days)
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        _write_authority(unfinished / AUTHORITY, authority)
        for name, hosts in parties.items():
            folder = unfinished / name
            _write_party(folder, authority, make_leaf(authority, name, hosts, start, days))
            _write_secret(folder / "signing-key.pem", private_pem(signing[name]))
            _write(folder / "party.toml", _party_toml(name, parties, roster, layout))
        unfinished.rename(target)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise


def _check_parties(parties: Mapping[str, Sequence[str]]) -> None:
    for name, hosts in parties.items():
        if check_name(name) in _RESERVED:
            raise ScenarioInvalid("this name is reserved", field="party", got=name)
        for host in hosts:
            # A host that is another party's name would let this party answer in its name; in a
            # certificate capitals make no difference.
            plain = host.lower()
            if not is_host(host) or (plain in parties and plain != name):
                raise ScenarioInvalid(
                    "this host cannot stand in the party's certificate",
                    party=name,
                    field="host",
                    expected="a DNS name or IP address that is no other party's name",
                    got=repr(host),
                )


def _signing_key(seed: bytes | None) -> Ed25519PrivateKey:
    return (
        Ed25519PrivateKey.generate() if seed is None else Ed25519PrivateKey.from_private_bytes(seed)
    )


def _fingerprint(key: Ed25519PrivateKey) -> str:
    return format_key(key.public_key().public_bytes_raw())


def _write_authority(folder: Path, authority: Issued) -> None:
    folder.mkdir(mode=0o700)
    _write(folder / "ca.pem", authority.certificate_pem())
    _write_secret(folder / "ca-key.pem", authority.key_pem())


def _write_party(folder: Path, authority: Issued, leaf: Issued) -> None:
    folder.mkdir(mode=0o700)
    _write(folder / "ca.pem", authority.certificate_pem())
    _write(folder / "cert.pem", leaf.certificate_pem())
    _write_secret(folder / "key.pem", leaf.key_pem())


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _write_secret(path: Path, content: bytes) -> None:
    # Never readable by others, not even for a moment; the mode does not depend on the umask.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _party_toml(
    name: str, parties: Mapping[str, Sequence[str]], roster: Mapping[str, str], layout: Layout
) -> bytes:
    ports = _ports(list(parties), layout.first_port)
    bind = "0.0.0.0" if parties[name] else "127.0.0.1"  # noqa: S104 -- it has hosts: reachable from others
    party = {
        "name": name,
        "role": role_of(name).value,
        "state_dir": "state",
        "scenario": layout.scenario,
    }
    listening = {
        key: str(Address(bind, port)) for (owner, key), port in ports.items() if owner == name
    }
    peers = {
        peer: str(Address(next(iter(parties[peer]), "127.0.0.1"), ports[peer, key]))
        for peer, key in _called(name, list(parties))
    }
    document = {
        "party": party | listening,
        "peers": peers,
        "tls": {"ca": "ca.pem", "cert": "cert.pem", "key": "key.pem"},
        "identity": {"signing_key": "signing-key.pem"},
        "roster": dict(sorted(roster.items())),
    }
    return tomli_w.dumps(document).encode()


def _ports(names: Sequence[str], first: int) -> dict[tuple[str, str], int]:
    """Return (party, key of its party file) -> port; no two are the same."""
    participants = [name for name in names if role_of(name) is Role.PARTICIPANT]
    places = [(ANALYST, "listen"), (ANALYST, "disclosure_listen")]
    places += [(name, "listen") for name in participants]
    places += [(name, "listen") for name in names if name == COORDINATOR]
    return {place: first + index for index, place in enumerate(places)}


def _called(name: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return (peer, key of the peer's file with the address) of those whom `name` calls."""
    participants = [peer for peer in names if role_of(peer) is Role.PARTICIPANT]
    calls = {
        Role.PARTICIPANT: [(ANALYST, "listen"), (COORDINATOR, "listen")],
        Role.ATTACKER: [(ANALYST, "disclosure_listen"), *((p, "listen") for p in participants)],
    }
    return [(peer, key) for peer, key in calls.get(role_of(name), []) if peer in names]
