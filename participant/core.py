"""What a participant knows before any round: its terms, its keys, its source of randomness."""

from dataclasses import dataclass, field

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
        object.__setattr__(self, "session_key", SessionKey(self.entropy.secret("session-key")))

    @property
    def peers(self) -> tuple[str, ...]:
        """The other participants, sorted."""
        return tuple(p for p in self.terms.roster.participants if p != self.name)

    def key_of(self, name: str) -> bytes:
        """Return the pinned Ed25519 public key of `name`."""
        return self.terms.roster.keys[name]

    def route(self, session: bytes, sender: str, recipient: str) -> Route:
        """Return what an envelope of the anchor round between two participants is bound to."""
        return Route(session, self.terms.roster.hash, sender, recipient, counter=0)
