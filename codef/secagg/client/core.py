"""What a silo has in every round."""

from dataclasses import dataclass

from collude.codef.secagg.terms import Terms
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy
from collude.common.secret import Secret


@dataclass(frozen=True, slots=True, repr=False)
class Core(Secret):
    """One silo of one session.

    Attributes:
        terms: of the session.
        name: of the silo.
        signing_key: pinned in the roster.
        entropy: of the silo; every secret is drawn under the session's id.
    """

    terms: Terms
    name: str
    signing_key: SigningKey
    entropy: Entropy

    def fresh(self, purpose: str, length: int) -> bytes:
        """Return secret bytes of this session, for one purpose."""
        return self.entropy.secret(f"secagg/{self.terms.session.hex()}/{purpose}", length=length)
