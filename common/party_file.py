"""A party's own file: who it is, where its things lie, whom it talks to and whose keys it pins."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails
from pydantic_core.core_schema import ValidationInfo

from collude.common.errors import ScenarioInvalid
from collude.common.ids import ANALYST, Role, role_of
from collude.common.net.address import parse_address
from collude.common.roster import Roster, parse_key
from collude.common.scenario.document import read_document
from collude.common.scenario.problems import nearest


def _resolved(path: Path, info: ValidationInfo) -> Path:
    return Path((info.context or {}).get("folder", "")) / path


def _an_address(text: str, info: ValidationInfo) -> str:
    """Return one address, or several with commas between, of which each can be used."""
    field = f"party.{info.field_name}"
    return ",".join(str(parse_address(each.strip(), field=field)) for each in text.split(","))


_FilePath = Annotated[Path, AfterValidator(_resolved)]
_Address = Annotated[str, AfterValidator(_an_address)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PartySection(_Section):
    """Who this party is and where its things lie. Relative paths start at the file's folder.

    Attributes:
        name: as in its certificate and in the roster.
        role: what the name stands for; a colluder is a participant.
        state_dir: its own folder, mode 0700.
        scenario: the scenario file.
        listen: where it serves (the analyst: its mail; a colluder: its disclosure port);
            several addresses with commas between where it is on several networks.
        disclosure_listen: the analyst's second port, for its disclosure.
        seed_file: 64 hexadecimal digits, the party's seed (simulation only).
        seed_digest: digest of the run's master seed, which the party does not know (simulation).
        records: npz file with the party's records and labels.
        transcript_dir: where it writes what it received.
        log_file: where it logs.
    """

    name: str
    role: Role
    state_dir: _FilePath
    scenario: _FilePath
    listen: _Address | None = None
    disclosure_listen: _Address | None = None
    seed_file: _FilePath | None = None
    seed_digest: str | None = None
    records: _FilePath | None = None
    transcript_dir: _FilePath | None = None
    log_file: _FilePath | None = None


class TlsSection(_Section):
    """PEM files for mutual TLS: the consortium's CA, this party's certificate and key."""

    ca: _FilePath
    cert: _FilePath
    key: _FilePath


class IdentitySection(_Section):
    """PEM file with the party's Ed25519 signing key."""

    signing_key: _FilePath


class PartyFile(_Section):
    """A whole party file. Every check is made when it is built.

    Attributes:
        party: who this party is and where its things lie.
        peers: name -> `host:port` of the parties it calls.
        tls: its certificate.
        identity: its signing key.
        roster: name -> `ed25519:` and the raw public key in hexadecimal, of all parties.
    """

    party: PartySection
    peers: dict[str, str] = Field(default_factory=dict)
    tls: TlsSection
    identity: IdentitySection
    roster: dict[str, str]

    @model_validator(mode="after")
    def _check(self) -> Self:
        _expect("party.name", self.party.name, self.roster)
        _expect("party.role", self.party.role.value, [role_of(self.party.name).value])
        for peer, address in self.peers.items():
            _expect("peers", peer, self.roster)
            parse_address(address, field=f"peers.{peer}")
        self.members()
        return self

    def members(self) -> Roster:
        """Return the pinned roster.

        Raises:
            ScenarioInvalid: a name or key cannot be used.
        """
        return Roster.of({name: parse_key(key, name) for name, key in self.roster.items()})

    @property
    def disclosure_address(self) -> str | None:
        """Where this party discloses, if it does."""
        if self.party.disclosure_listen or self.party.name == ANALYST:
            return self.party.disclosure_listen
        return self.party.listen


def load_party_file(path: str | Path) -> PartyFile:
    """Return the party file at `path`, its relative paths resolved against its folder.

    Raises:
        ScenarioInvalid: unreadable, not TOML, an unknown key, or a value that cannot be used;
            the file and the field are named.
    """
    document = read_document(path)
    folder = Path(path).absolute().parent
    try:
        return PartyFile.model_validate(document, context={"folder": folder})
    except ValidationError as error:
        problem = _first_problem(error)
    except ScenarioInvalid as error:
        problem = error
    problem.reason = f"{path}: {problem.reason}"
    problem.hint = problem.hint or "A party file is as `collude pki init` writes it."
    raise problem


def _expect(field: str, got: str, known: "dict[str, str] | list[str]") -> None:
    if got not in known:
        raise ScenarioInvalid(
            "the parts of the party file do not fit together",
            field=field,
            expected=f"one of {', '.join(sorted(known))}",
            got=repr(got),
        )


def _first_problem(error: ValidationError) -> ScenarioInvalid:
    """Return the first problem, an unknown key before all others."""
    details = sorted(error.errors(), key=lambda detail: detail["type"] != "extra_forbidden")
    detail = details[0]
    if detail["type"] == "extra_forbidden":
        return _unknown_key(detail)
    field = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "missing":
        return ScenarioInvalid("a key is missing", field=field, expected="a value")
    return ScenarioInvalid(
        "the value cannot be used", field=field, expected=detail["msg"], got=repr(detail["input"])
    )


def _unknown_key(detail: ErrorDetails) -> ScenarioInvalid:
    *section, key = (str(part) for part in detail["loc"])
    model = PartyFile.model_fields[section[0]].annotation if section else PartyFile
    known = sorted(getattr(model, "model_fields", ()))
    close = nearest(key, known)
    return ScenarioInvalid(
        f"unknown key {key!r}",
        field=".".join([*section, key]),
        expected=f"one of {', '.join(known)}",
        hint=f"Did you mean {close!r}?" if close else None,
    )
