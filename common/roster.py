"""Who takes part: pinned names, roles and Ed25519 keys."""

from dataclasses import dataclass
from functools import cached_property

from collude.common.encoding import digest
from collude.common.errors import ScenarioInvalid
from collude.common.ids import Role, check_name, role_of

KEY_PREFIX = "ed25519:"
_KEY_BYTES = 32


def format_key(key: bytes) -> str:
    """Return a raw Ed25519 public key as it stands in a party file."""
    return KEY_PREFIX + key.hex()


def parse_key(text: str, party: str) -> bytes:
    """Return the raw 32-byte Ed25519 public key that `format_key` wrote.

    Raises:
        ScenarioInvalid: the text is something else.
    """
    try:
        key = bytes.fromhex(text.removeprefix(KEY_PREFIX))
    except ValueError:
        key = b""
    if not text.startswith(KEY_PREFIX) or len(key) != _KEY_BYTES:
        raise ScenarioInvalid(
            "a roster entry is not an Ed25519 key",
            party=party,
            field=f"roster.{party}",
            expected=f"{KEY_PREFIX} and 64 hexadecimal digits",
            got=repr(text),
        )
    return key


@dataclass(frozen=True, slots=True)
class Member:
    """One party of the roster."""

    name: str
    role: Role
    key: bytes


@dataclass(frozen=True)
class Roster:
    """All parties, sorted by name. Two parties work together only under equal hashes."""

    members: tuple[Member, ...]

    @classmethod
    def of(cls, keys: dict[str, bytes]) -> "Roster":
        """Return the roster of these names and raw Ed25519 public keys.

        Raises:
            ScenarioInvalid: a name cannot be a party's, or two parties share a key.
        """
        if len(set(keys.values())) != len(keys):
            raise ScenarioInvalid("two parties share one signing key", field="roster")
        members = (Member(check_name(name), role_of(name), keys[name]) for name in sorted(keys))
        return cls(tuple(members))

    @cached_property
    def hash(self) -> bytes:
        """SHA-256 over every name, role and key: 32 bytes."""
        items = (part for m in self.members for part in (m.name, m.role.value, m.key))
        return digest("collude/v1/roster", *items)

    @cached_property
    def keys(self) -> dict[str, bytes]:
        """Raw Ed25519 public key by name."""
        return {member.name: member.key for member in self.members}

    def names(self, role: Role) -> tuple[str, ...]:
        """Return the names with this role, sorted."""
        return tuple(member.name for member in self.members if member.role is role)

    @property
    def participants(self) -> tuple[str, ...]:
        """The participants' names, sorted."""
        return self.names(Role.PARTICIPANT)
