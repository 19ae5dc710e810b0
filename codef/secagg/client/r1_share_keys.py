"""Round 1, silo's side: deal out shares of my seeds, take the others' shares of theirs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collude.codef.secagg import messages as m
from collude.codef.secagg.aborts import abort, check_list
from collude.codef.secagg.client.core import Core
from collude.codef.secagg.client.r0_advertise_keys import Advertised
from collude.codef.secagg.envelope import open_shares, seal_shares
from collude.codef.secagg.shamir import split
from collude.codef.secagg.stages import Stage
from collude.common.protocol.sealed import SessionKey
from collude.common.randomness import SEED_BYTES
from collude.common.secret import Secret

STAGE = Stage.SHARE_KEYS


@dataclass(frozen=True, slots=True, repr=False)
class Shared(Secret):
    """Known after the shares: who is left (U1), and one share of each neighbour's secrets.

    Attributes:
        advertised: what was known before.
        silos: U1.
        shares: (self mask, mask key) by name, mine among them.
    """

    advertised: Advertised
    silos: tuple[str, ...]
    shares: Mapping[str, tuple[bytes, bytes]]


class ShareKeysState:
    """Waiting for the envelopes addressed to me."""

    def __init__(self, core: Core, advertised: Advertised) -> None:
        """Split my seeds."""
        self._core, self._known = core, advertised
        self._key = SessionKey(advertised.seeds.envelope_key)
        self._dealt = self._deal(core.terms.holders(core.name, advertised.silos))

    def _deal(self, holders: Sequence[str]) -> dict[str, tuple[bytes, bytes]]:
        core, seeds = self._core, self._known.seeds
        threshold = core.terms.neighbourhood.share_threshold
        points = [core.terms.point(holder) for holder in holders]
        first, second = (
            split(secret, threshold, points, core.fresh(f"share/{purpose}", SEED_BYTES))
            for purpose, secret in (("self-mask", seeds.self_mask), ("mask-key", seeds.mask_key))
        )
        return dict(zip(holders, zip(first, second, strict=True), strict=True))

    def opening(self) -> m.ShareKeys:
        """Send one envelope to every neighbour."""
        others = (name for name in self._dealt if name != self._core.name)
        return m.ShareKeys(tuple(self._sealed(name) for name in others))

    def _sealed(self, name: str) -> m.ShareEnvelope:
        keys = self._key, self._known.keys[name].envelope_key
        route = self._core.name, name
        return seal_shares(self._core.terms.session, route, keys, b"".join(self._dealt[name]))

    def receive(self, message: m.SharedKeys) -> Shared:
        """Check who shared, and open an envelope of every neighbour among them.

        Raises:
            AggregationAborted: too few or unknown silos, or an envelope is missing or wrong.
        """
        core, terms = self._core, self._core.terms
        check_list(STAGE, "silos", message.silos, self._known.silos, terms.threshold)
        if core.name not in message.silos:
            abort(STAGE, "my shares are not counted", what="silos")
        neighbours = terms.neighbours(core.name, message.silos)
        if len(neighbours) < terms.neighbourhood.least_neighbours:
            abort(STAGE, "too few of my neighbours are left", what="silos")
        senders = tuple(envelope.sender for envelope in message.envelopes)
        if senders != neighbours:
            reason = "the envelopes are not those of all my neighbours"
            said = {"expected": ", ".join(neighbours), "got": ", ".join(senders) or "none"}
            abort(STAGE, reason, what="envelopes", **said)
        shares = {envelope.sender: self._opened(envelope) for envelope in message.envelopes}
        shares[core.name] = self._dealt[core.name]
        return Shared(self._known, message.silos, shares)

    def _opened(self, envelope: m.ShareEnvelope) -> tuple[bytes, bytes]:
        sender = envelope.sender
        keys = self._key, self._known.keys[sender].envelope_key
        route = sender, self._core.name
        try:
            return open_shares(self._core.terms.session, route, keys, envelope)
        except ValueError as error:
            abort(STAGE, str(error), party=sender, what="envelope")
