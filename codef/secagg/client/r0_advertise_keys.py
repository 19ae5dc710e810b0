"""Round 0, silo's side: make the keys of this session, show the public ones, see everybody's."""

from collections.abc import Mapping
from dataclasses import dataclass

from collude.codef.secagg import messages as m
from collude.codef.secagg.aborts import abort, check_list
from collude.codef.secagg.advertised import checked_hash
from collude.codef.secagg.client.core import Core
from collude.codef.secagg.counts import Counts
from collude.codef.secagg.keys import (
    ADVERTISE_TAG,
    Seeds,
    advertised_items,
    mask_key,
    self_mask_hash,
)
from collude.codef.secagg.shamir import SECRET_BYTES
from collude.codef.secagg.stages import Stage
from collude.common.protocol.sealed import SessionKey
from collude.common.randomness import SEED_BYTES
from collude.common.secret import Secret

STAGE = Stage.ADVERTISE_KEYS


@dataclass(frozen=True, slots=True, repr=False)
class Advertised(Secret):
    """Known after the keys: my secrets and counts, everybody's public keys (U0)."""

    counts: Counts
    seeds: Seeds
    keys: Mapping[str, m.AdvertiseKeys]
    hash: bytes

    @property
    def silos(self) -> tuple[str, ...]:
        """U0, in the order of names."""
        return tuple(self.keys)


class AdvertiseKeysState:
    """Waiting for everybody's keys."""

    def __init__(self, core: Core, counts: Counts) -> None:
        """Draw the seeds, and sign what is made of them."""
        self._core, self._counts = core, counts
        self._seeds = Seeds(
            core.fresh("self-mask", SECRET_BYTES),
            core.fresh("mask-key", SECRET_BYTES),
            core.fresh("envelope-key", SEED_BYTES),
        )
        self._mine = self._signed()

    def _signed(self) -> m.AdvertiseKeys:
        core, seeds, session = self._core, self._seeds, self._core.terms.session
        parts = (
            core.terms.roster.hash,
            core.terms.hash,
            SessionKey(seeds.envelope_key).public,
            mask_key(session, seeds.mask_key).public,
            self_mask_hash(session, seeds.self_mask),
        )
        items = advertised_items(session, core.name, m.AdvertiseKeys(*parts, signature=b""))
        return m.AdvertiseKeys(*parts, core.signing_key.sign(ADVERTISE_TAG, *items))

    def opening(self) -> m.AdvertiseKeys:
        """Send my public keys."""
        return self._mine

    def receive(self, message: m.AdvertisedKeys) -> Advertised:
        """Check who is there, that mine is unaltered, and every other silo's keys.

        Raises:
            AggregationAborted: too few or unknown silos, or keys that are not in order.
        """
        core, terms = self._core, self._core.terms
        names = [named.name for named in message.silos]
        check_list(STAGE, "silos", names, terms.silos, terms.threshold)
        keys = {named.name: named.keys for named in message.silos}
        if keys.get(core.name) != self._mine:
            abort(STAGE, "my keys are not shown as I sent them", what="keys")
        digest = checked_hash(terms, message.silos)
        if len(terms.neighbours(core.name, names)) < terms.neighbourhood.least_neighbours:
            abort(STAGE, "too few of my neighbours are left", what="silos")
        return Advertised(self._counts, self._seeds, keys, digest)
