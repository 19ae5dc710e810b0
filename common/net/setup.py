"""All that a party needs before its first call, read from its party file."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from collude.common.errors import CertificateInvalid, ScenarioInvalid
from collude.common.net.certificate_check import TlsFiles
from collude.common.net.tls import load_tls
from collude.common.party_file import PartyFile, load_party_file
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy, party_seed
from collude.common.roster import Roster
from collude.common.scenario import Scenario, load_party_scenario, load_scenario


@dataclass(frozen=True, slots=True)
class Setup:
    """A party's own things. Its repr shows no secret.

    Attributes:
        file: the party file.
        scenario: what is run; without the master seed where the file names a party seed.
        roster: everybody's pinned keys.
        signing_key: this party's.
        entropy: this party's source of randomness.
        tls: content of its certificate files.
        echo: where events are said for somebody who watches, or None.
    """

    file: PartyFile
    scenario: Scenario
    roster: Roster
    signing_key: SigningKey
    entropy: Entropy
    tls: TlsFiles = field(repr=False)
    echo: TextIO | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The party's name."""
        return self.file.party.name

    @property
    def state_dir(self) -> Path:
        """The party's own folder."""
        return self.file.party.state_dir

    @property
    def transcript_dir(self) -> Path:
        """Where it writes what it received."""
        return self.file.party.transcript_dir or self.state_dir / "transcripts"

    @property
    def log_file(self) -> Path:
        """Where it logs."""
        return self.file.party.log_file or self.state_dir / "log.jsonl"

    def peer(self, name: str) -> str:
        """Return the address of another party.

        Raises:
            ScenarioInvalid: the party file does not say.
        """
        if name not in self.file.peers:
            raise ScenarioInvalid(
                "the party file has no address of a party that must be called",
                party=self.name,
                field=f"peers.{name}",
                expected="host:port",
            )
        return self.file.peers[name]

    def listen(self) -> str:
        """Return where this party serves.

        Raises:
            ScenarioInvalid: the party file does not say.
        """
        if self.file.party.listen is None:
            raise ScenarioInvalid(
                "this party must listen somewhere",
                party=self.name,
                field="party.listen",
                expected="host:port",
            )
        return self.file.party.listen


def load_setup(path: str | Path, echo: TextIO | None = None) -> Setup:
    """Return a party's setup; its own folder is made, readable by it alone.

    Raises:
        ScenarioInvalid: the party file, scenario or seed cannot be used.
        CertificateInvalid: a certificate or key cannot be used.
    """
    file = load_party_file(path)
    scenario = _scenario(file)
    roster = file.members()
    signing_key = _signing_key(file, roster)
    file.party.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Setup(
        file, scenario, roster, signing_key, _entropy(file, scenario), load_tls(file), echo
    )


def _scenario(file: PartyFile) -> Scenario:
    if file.party.seed_digest is not None:
        scenario = load_party_scenario(file.party.scenario, file.party.seed_digest)
    else:
        scenario = load_scenario(file.party.scenario)
    participants = file.members().participants
    if set(scenario.participants) != set(participants):  # their orders differ from ten on
        raise ScenarioInvalid(
            "scenario and roster have different participants",
            party=file.party.name,
            field="roster",
            expected=", ".join(scenario.participants),
            got=", ".join(participants),
            hint="Put the consortium's scenario there, or `collude pki init` for the scenario's.",
        )
    return scenario


def _signing_key(file: PartyFile, roster: Roster) -> SigningKey:
    path, name = file.identity.signing_key, file.party.name
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise CertificateInvalid(
            "the signing key cannot be read", party=name, field=str(path)
        ) from error
    if not isinstance(key, Ed25519PrivateKey) or SigningKey(key).public != roster.keys[name]:
        raise CertificateInvalid(
            "the signing key is not the one that the roster pins",
            party=name,
            field="identity.signing_key",
            expected="the Ed25519 key whose public half stands in the roster",
        )
    return SigningKey(key)


def _entropy(file: PartyFile, scenario: Scenario) -> Entropy:
    name, path = file.party.name, file.party.seed_file
    if not scenario.simulated:
        if path is not None:
            raise ScenarioInvalid(
                "a seed is refused in deployment mode", party=name, field="party.seed_file"
            )
        return Entropy.from_system()
    if path is None:
        return _seeded_by_hand(name, scenario)
    try:
        return Entropy(bytes.fromhex(path.read_text(encoding="ascii").strip()), simulated=True)
    except (OSError, ValueError) as error:
        raise ScenarioInvalid(
            "the party seed cannot be read",
            party=name,
            field=str(path),
            expected="64 hexadecimal digits",
        ) from error


def _seeded_by_hand(name: str, scenario: Scenario) -> Entropy:
    # Started by hand from the full scenario: the party then knows the master seed.
    if scenario.scenario.seed is None:
        raise ScenarioInvalid(
            "a simulation needs a party seed", party=name, field="party.seed_file"
        )
    return Entropy(party_seed(scenario.scenario.seed, name), simulated=True)
