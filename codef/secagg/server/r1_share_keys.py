"""Round 1, coordinator's side: carry the envelopes. It can open none."""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.codef.secagg import messages as m
from collude.codef.secagg.aborts import too_few
from collude.codef.secagg.envelope import CIPHERTEXT_BYTES
from collude.codef.secagg.server.core import Step, refuse_message
from collude.codef.secagg.server.r0_advertise_keys import Advertised
from collude.codef.secagg.stages import Stage
from collude.codef.secagg.terms import Terms

STAGE = Stage.SHARE_KEYS


@dataclass(frozen=True, slots=True)
class Shared:
    """Known after the shares: U0's keys, and who shared (U1)."""

    advertised: Advertised
    silos: tuple[str, ...]


class ShareKeysState:
    """Waiting for every silo's envelopes."""

    def __init__(self, terms: Terms, advertised: Advertised) -> None:
        """Keep what is known."""
        self._terms, self._known = terms, advertised
        self._envelopes: dict[str, tuple[m.ShareEnvelope, ...]] = {}
        self.expected = tuple(advertised.keys)

    def take(self, sender: str, message: m.ShareKeys) -> None:
        """Check that there is one envelope of the sender for each of its neighbours.

        Raises:
            ProtocolViolation: there is not.
        """
        got = [(envelope.sender, envelope.recipient) for envelope in message.envelopes]
        expected = [(sender, to) for to in self._terms.neighbours(sender, self.expected)]
        if got != expected:
            reason = "the envelopes are not one for every neighbour"
            refuse_message(STAGE, sender, reason, what="envelopes", expected=expected, got=got)
        if any(len(envelope.ciphertext) != CIPHERTEXT_BYTES for envelope in message.envelopes):
            reason = f"an envelope does not have {CIPHERTEXT_BYTES} bytes"
            refuse_message(STAGE, sender, reason, what="ciphertext")
        self._envelopes[sender] = message.envelopes

    def close(self, came: Sequence[str]) -> Step:
        """Hand every envelope of those that shared to its recipient among them.

        Raises:
            AggregationAborted: too few silos came.
        """
        if len(came) < self._terms.threshold:
            too_few(STAGE, came, self._terms.threshold)
        silos = tuple(came)
        letters: dict[str, list[m.ShareEnvelope]] = {name: [] for name in silos}
        for name in silos:
            for envelope in self._envelopes[name]:
                letters.get(envelope.recipient, []).append(envelope)
        return Step(
            Shared(self._known, silos),
            {name: m.SharedKeys(silos, tuple(sealed)) for name, sealed in letters.items()},
        )
