"""Looking over a public-key infrastructure on disk: findings, each with a code and a hint."""

import datetime as dt
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from collude.common.errors import ScenarioInvalid
from collude.common.net.certificate_check import TlsFiles, load_private_key, problems
from collude.common.net.certificates import AUTHORITY
from collude.common.party_file import PartyFile, load_party_file
from collude.common.roster import format_key

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, where, and what to do about it."""

    code: str
    party: str
    field: str
    reason: str
    hint: str

    def __str__(self) -> str:
        """Return the finding on one line."""
        return f"[{self.code}] {self.party}: {self.field} {self.reason}. {self.hint}"


@dataclass(frozen=True, slots=True)
class _Case:
    """One party's folder, its file and the time of the check."""

    folder: Path
    file: PartyFile
    now: dt.datetime

    @property
    def name(self) -> str:
        return self.file.party.name


_HINTS: Mapping[str, str] = {
    "E-PKI-MODE": "Take the rights away from group and others (chmod go-rwx)",
    "E-PKI-CA-KEY": "Remove it: whoever holds it can add parties",
    "E-PKI-ROSTER": "Give every party the same roster, made by one `collude pki init`",
    "E-PKI-EMPTY": "Give the folder that `collude pki init` made, or one party's folder",
}
_RENEW = "Make new certificates with `collude pki init`"


def check(directory: str | Path, *, now: dt.datetime | None = None) -> list[Finding]:
    """Return what is wrong with a folder made by `pki.init`, or with one party's folder of it.

    Args:
        directory: the whole folder, or one party's.
        now: the time for which certificates are checked; None is the present.
    """
    root = Path(directory)
    moment = now or dt.datetime.now(dt.UTC)
    alone = (root / "party.toml").exists()
    files = [root / "party.toml"] if alone else sorted(root.glob("*/party.toml"))
    if not files:
        return [_finding("E-PKI-EMPTY", root.name, str(root), "holds no party file")]
    findings = list(_authority_modes(root / AUTHORITY))
    rosters: dict[str, dict[str, str]] = {}
    for path in files:
        try:
            case = _Case(path.parent, load_party_file(path), moment)
        except ScenarioInvalid as error:
            findings.append(_finding("E-PKI-PARTY", path.parent.name, "party.toml", str(error)))
            continue
        rosters[case.name] = case.file.roster
        findings += [finding for check_one in _CHECKS for finding in check_one(case)]
    return findings + list(_differing(rosters))


def _finding(code: str, party: str, field: str, reason: str) -> Finding:
    return Finding(code, party, field, reason, _HINTS.get(code, _RENEW))


def _certificate(case: _Case) -> Iterator[Finding]:
    tls = case.file.tls
    try:
        files = TlsFiles(tls.ca.read_bytes(), tls.cert.read_bytes(), tls.key.read_bytes())
    except OSError as error:
        yield _finding("E-PKI-FILE", case.name, str(error.filename), "cannot be read")
        return
    for problem in problems(case.name, files, case.now):
        details = [f"expected {problem.expected}"] if problem.expected else []
        details += [f"got {problem.got}"] if problem.got else []
        reason = f"{problem.reason} ({', '.join(details)})" if details else problem.reason
        yield _finding(problem.code, case.name, problem.field, reason)


def _signing_key(case: _Case) -> Iterator[Finding]:
    path = case.file.identity.signing_key
    try:
        key = load_private_key(path.read_bytes())
    except OSError:
        yield _finding("E-PKI-FILE", case.name, str(path), "cannot be read")
        return
    if not isinstance(key, Ed25519PrivateKey):
        yield _finding("E-PKI-KEY", case.name, "signing_key", "is no Ed25519 key in PEM")
    elif format_key(key.public_key().public_bytes_raw()) != case.file.roster[case.name]:
        yield _finding(
            "E-PKI-ROSTER", case.name, "signing_key", "is not the key pinned in the party's roster"
        )


def _modes(case: _Case) -> Iterator[Finding]:
    for path in (case.folder, case.file.tls.key, case.file.identity.signing_key):
        yield from _mode(case.name, path)
    if (case.folder / "ca-key.pem").exists():
        yield _finding("E-PKI-CA-KEY", case.name, "ca-key.pem", "lies in a party's folder")


def _authority_modes(folder: Path) -> Iterator[Finding]:
    for path in (folder, folder / "ca-key.pem"):
        yield from _mode(AUTHORITY, path)


def _mode(party: str, path: Path) -> Iterator[Finding]:
    if path.exists() and (mode := stat.S_IMODE(path.stat().st_mode)) & _OTHERS:
        yield _finding("E-PKI-MODE", party, path.name, f"is open to others (mode {mode:04o})")


def _differing(rosters: Mapping[str, dict[str, str]]) -> Iterator[Finding]:
    """Yield the parties whose roster is not the first party's, or leaves out a party seen."""
    first = next(iter(rosters), "")
    for name, roster in rosters.items():
        if roster != rosters[first]:
            yield _finding("E-PKI-ROSTER", name, "roster", f"is not the same as {first}'s")
        for missing in sorted(set(rosters) - set(roster)):
            yield _finding("E-PKI-ROSTER", name, "roster", f"leaves out {missing}")


_CHECKS: tuple[Callable[[_Case], Iterator[Finding]], ...] = (_certificate, _signing_key, _modes)
