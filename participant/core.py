"""What a participant knows before any round: its terms, its keys, its source of randomness."""

from dataclasses import dataclass, field, replace

from collude.common.protocol.sealed import Route, SessionKey
from collude.common.protocol.signing import SigningKey
from collude.common.protocol.terms import Terms
from collude.common.randomness import Entropy


@dataclass(frozen=True)
class Core:
    """A participant's fixed knowledge. Its repr shows no secret."""

    name: str
    terms: Terms
    signing_key: SigningKey
    entropy: Entropy
    session_key: SessionKey = field(init=False)

    def __post_init__(self) -> None:
        """Make this session's X25519 key."""
        object.__setattr__(self, "session_key", SessionKey(self.fresh("session-key")))

    def fresh(self, purpose: str) -> bytes:
        """Return 32 secret bytes for `purpose` in this attempt: no attempt repeats another's."""
        return self.entropy.secret(purpose, self.terms.attempt)

    def again(self, left_out: tuple[str, ...]) -> "Core":
        """Return what this participant knows before the next attempt."""
        return replace(self, terms=self.terms.again(left_out))

    @property
    def peers(self) -> tuple[str, ...]:
        """The other participants, sorted."""
        return tuple(p for p in self.terms.participants if p != self.name)

    def key_of(self, name: str) -> bytes:
        """Return the pinned Ed25519 public key of `name`."""
        return self.terms.roster.keys[name]

    def route(self, session: bytes, sender: str, recipient: str) -> Route:
        """Return what an envelope of the anchor round between two participants is bound to."""
        return Route(session, self.terms.roster.hash, sender, recipient, counter=0)
