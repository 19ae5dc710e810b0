"""Looking over a site without an engine: is it what its topology says, and does it keep secrets.

Findings are those of `collude pki check`, so they have codes and hints. A new site is looked over
before anybody is told that it is ready; `collude compose --check SITE` does it again later.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography import x509

from collude.common.errors import ColludeError, ScenarioInvalid
from collude.common.net import pki
from collude.common.net.address import parse_address
from collude.common.net.pki import Finding
from collude.common.party_file import PartyFile, load_party_file
from collude.common.scenario import load_scenario
from collude.runtime.compose.document import Document, parse_compose
from collude.runtime.compose.layout import Site
from collude.runtime.compose.schema import problems
from collude.runtime.compose.services import STATE
from collude.runtime.compose.topology import Topology, topology_of

_HINTS: Mapping[str, str] = {
    "E-SITE-SCHEMA": "Make the site again with `collude compose`",
    "E-SITE-NAMES": "Make the site again: certificates carry the names of the services",
    "E-SITE-NETWORK": "Make the site again: it follows from the scenario who may reach whom",
    "E-SITE-RIGHTS": "Give the container no more than it needs",
    "E-SITE-SECRET": "Secrets belong into files that only their party can read",
}


@dataclass(frozen=True, slots=True)
class _Case:
    site: Site
    document: Document
    topology: Topology
    files: Mapping[str, PartyFile]

    def service(self, party: str) -> dict[str, Any]:
        found: dict[str, Any] = self.document["services"].get(party, {})
        return found


def findings(root: str | Path) -> list[Finding]:
    """Return what is wrong with a site; empty if nothing is.

    Raises:
        RunDirectoryInvalid: it is no site.
        ScenarioInvalid: its scenario or compose file cannot be read.
    """
    site = Site.open(root)
    document = parse_compose(site.compose.read_text(encoding="utf-8"))
    wrong = [_finding("E-SITE-SCHEMA", "", where, what) for where, what in problems(document)]
    if wrong:
        return wrong
    topology = topology_of(load_scenario(site.scenario))
    files: dict[str, PartyFile] = {}
    for party in topology.parties:
        try:
            files[party] = load_party_file(site.config(party) / "party.toml")
        except ColludeError as error:
            wrong.append(_finding("E-SITE-NAMES", party, "party.toml", str(error)))
    case = _Case(site, document, topology, files)
    return [*wrong, *(found for check in _CHECKS for found in check(case))]


def require_sound(root: str | Path) -> None:
    """Return if nothing is wrong with a site.

    Raises:
        ScenarioInvalid: something is; the first finding is named.
    """
    found = findings(root)
    if found:
        raise ScenarioInvalid(
            "the site is not sound",
            party=found[0].party or None,
            field=found[0].field,
            got=found[0].reason,
            hint=found[0].hint,
        )


def _finding(code: str, party: str, field: str, reason: str) -> Finding:
    return Finding(code, party, field, reason, _HINTS[code])


def _certificates(case: _Case) -> Iterator[Finding]:
    """A service answers to the name in its certificate, and its keys are in order."""
    for party, file in case.files.items():
        yield from pki.check(case.site.config(party))
        certificate = x509.load_pem_x509_certificate(file.tls.cert.read_bytes())
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        if party not in names.get_values_for_type(x509.DNSName):
            yield _finding("E-SITE-NAMES", party, "cert.pem", "is not for the service's name")
        if party not in case.document["services"]:
            yield _finding("E-SITE-NAMES", party, "services", "has no container of this party")
        if str(file.party.state_dir) != STATE:
            yield _finding("E-SITE-NAMES", party, "party.state_dir", f"is not {STATE}")


def _networks(case: _Case) -> Iterator[Finding]:
    """The compose file's networks are the topology's: nobody is on one more."""
    for name, members in case.topology.networks.items():
        network = case.document["networks"].get(name)
        if not network or not network.get("internal"):
            yield _finding("E-SITE-NETWORK", "", f"networks.{name}", "is not there or not internal")
        there = {s for s, entry in case.document["services"].items()
                 if name in entry.get("networks", ())}  # fmt: skip
        if there != set(members):
            yield _finding(
                "E-SITE-NETWORK", "", f"networks.{name}",
                f"connects {', '.join(sorted(there))} instead of {', '.join(sorted(members))}",
            )  # fmt: skip
    for name in set(case.document["networks"]) - set(case.topology.networks):
        yield _finding("E-SITE-NETWORK", "", f"networks.{name}", "is none that anybody needs")


def _addresses(case: _Case) -> Iterator[Finding]:
    """A party calls services on its networks, and serves on the networks of those who call it."""
    for party, file in case.files.items():
        expected = case.topology.peers(party)
        if dict(file.peers) != expected:
            yield _finding("E-SITE-NETWORK", party, "peers", f"are not {expected}")
        listens = case.topology.listens(party)
        for field in ("listen", "disclosure_listen"):
            found, wanted = getattr(file.party, field), listens.get(field)
            if found != wanted and not (wanted is None and _is_loopback(found)):
                yield _finding("E-SITE-NETWORK", party, f"party.{field}", f"is not {wanted}")
        yield from _aliases(case, party)


def _aliases(case: _Case, party: str) -> Iterator[Finding]:
    """Every name that a party binds to is its own on that network alone."""
    networks = case.service(party).get("networks", {})
    known = {name for entry in networks.values() for name in (entry or {}).get("aliases", ())}
    for addresses in case.topology.listens(party).values():
        for address in addresses.split(","):
            if parse_address(address).host not in known:
                yield _finding("E-SITE-NETWORK", party, address, "is no alias of this container")


def _is_loopback(address: str | None) -> bool:
    return address is None or address.startswith("127.0.0.1:")


_DEMANDED: Mapping[str, object] = {
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges:true"],
    "ipc": "none",
}
_LIMITED = ("mem_limit", "pids_limit", "tmpfs")


def _rights(case: _Case) -> Iterator[Finding]:
    """No container may do more than a party needs."""
    for name, service in case.document["services"].items():
        for key, value in _DEMANDED.items():
            if service.get(key) != value:
                yield _finding("E-SITE-RIGHTS", name, key, f"is not {value}")
        for key in _LIMITED:
            if not service.get(key):
                yield _finding("E-SITE-RIGHTS", name, key, "is not limited")
        if service.get("user") != case.site.user:
            yield _finding("E-SITE-RIGHTS", name, "user", f"is not {case.site.user}")


def _mounts(case: _Case) -> Iterator[Finding]:
    """A party sees its own two folders and nothing else of the site."""
    for party in case.topology.parties:
        mine = {f"./parties/{party}/config:/etc/collude:ro", f"./parties/{party}/state:{STATE}"}
        if set(case.service(party).get("volumes", ())) != mine:
            yield _finding("E-SITE-RIGHTS", party, "volumes", "are not its own two folders")


def _secrets(case: _Case) -> Iterator[Finding]:
    """Secrets are in files for their party alone, and nowhere in the compose file."""
    text = case.site.compose.read_text(encoding="utf-8")
    yield from _open_to_others("", case.site.scenario)
    for party in case.topology.parties:
        for path in sorted(case.site.config(party).iterdir()):
            yield from _open_to_others(party, path)
            if any(line in text for line in _lines(path)):
                yield _finding("E-SITE-SECRET", party, path.name, "stands in the compose file")
        for folder in (case.site.config(party), case.site.state(party)):
            yield from _open_to_others(party, folder)


def _open_to_others(party: str, path: Path) -> Iterator[Finding]:
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        yield _finding("E-SITE-SECRET", party, path.name, f"is open to others (mode {mode:04o})")


def _lines(path: Path) -> Iterator[str]:
    """Yield the telling lines of a file that is text: keys, seeds."""
    if path.suffix in {".pem", ""}:
        for line in path.read_text(encoding="ascii").splitlines():
            if len(line) >= 40 and not line.startswith("-----"):  # noqa: PLR2004 -- base64 or hex
                yield line


_CHECKS: tuple[Callable[[_Case], Iterator[Finding]], ...] = (
    _certificates,
    _networks,
    _addresses,
    _rights,
    _mounts,
    _secrets,
)
