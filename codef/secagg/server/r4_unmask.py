"""Round 4, coordinator's side: put the seeds together, take the masks off, and check the sum.

Every seed that is put together is checked against what its owner advertised. A share that is not
the one dealt out would change the sum unseen otherwise.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from collude.codef.secagg import messages as m
from collude.codef.secagg.aborts import abort, too_few
from collude.codef.secagg.keys import mask_key, pair_mask_key, self_mask_hash, self_mask_key
from collude.codef.secagg.prg import Words, add_masks
from collude.codef.secagg.server.core import Step, refuse_message
from collude.codef.secagg.server.r3_consistency import Requested
from collude.codef.secagg.server.reconstruct import Joiner
from collude.codef.secagg.shamir import parse_share
from collude.codef.secagg.stages import Stage
from collude.codef.secagg.terms import Terms

STAGE = Stage.UNMASK


@dataclass(frozen=True, slots=True)
class Summed:
    """The result: whose counts are in it (U2), and the sum, shape (m,), uint64."""

    silos: tuple[str, ...]
    aggregate: "np.ndarray[tuple[int], np.dtype[np.uint64]]"


class UnmaskState:
    """Waiting for every silo's shares."""

    def __init__(self, terms: Terms, requested: Requested) -> None:
        """Keep what is known."""
        self._terms, self._known = terms, requested.received
        self.expected = requested.silos
        self._self_masks: dict[str, dict[str, int]] = {n: {} for n in self._known.alive}
        self._mask_keys: dict[str, dict[str, int]] = {n: {} for n in self._known.dead}

    def take(self, sender: str, message: m.Unmask) -> None:
        """Check that the shares are those asked for.

        Raises:
            ProtocolViolation: they are not, or one is no share.
        """
        kept = [
            (named.name, self._parsed(sender, named.share), into)
            for what, shares, into in (
                ("self_masks", message.self_masks, self._self_masks),
                ("mask_keys", message.mask_keys, self._mask_keys),
            )
            for named in self._asked(sender, what, shares, tuple(into))
        ]
        for name, share, into in kept:
            into[name][sender] = share

    def _asked(
        self, sender: str, what: str, shares: Sequence[m.NamedShare], silos: Sequence[str]
    ) -> Sequence[m.NamedShare]:
        expected = self._terms.holders(sender, silos)
        got = tuple(named.name for named in shares)
        if got != expected:
            reason = "the shares are not those that were asked for"
            said = {"expected": ", ".join(expected) or "none", "got": ", ".join(got) or "none"}
            refuse_message(STAGE, sender, reason, what=what, **said)
        return shares

    @staticmethod
    def _parsed(sender: str, share: bytes) -> int:
        try:
            return parse_share(share)
        except ValueError as error:
            refuse_message(STAGE, sender, str(error), what="share")

    def close(self, came: Sequence[str]) -> Step:
        """Return the sum of the counts of U2.

        Raises:
            AggregationAborted: too few shares, a seed that is not the one advertised, or a sum
                that silos which keep to the cap cannot have.
        """
        if len(came) < self._terms.threshold:
            too_few(STAGE, came, self._terms.threshold)
        plus, minus = self._masks()
        total: Words = self._known.total.copy()
        add_masks(total, plus, minus)
        self._terms.modulus.reduce(total)
        self._check_sum(total)
        return Step(Summed(self._known.alive, total.astype(np.uint64)), {})

    def _masks(self) -> tuple[list[bytes], list[bytes]]:
        """The keys of the masks that must be added and subtracted to undo those in the sum."""
        session, keys = self._terms.session, self._known.shared.advertised.keys
        joiner = Joiner(self._terms)
        plus: list[bytes] = []
        minus: list[bytes] = []
        for name, shares in self._self_masks.items():
            seed = joiner.join(name, shares, partial(_is_self_mask, session, keys[name]))
            minus.append(self_mask_key(session, seed))
        for name, shares in self._mask_keys.items():
            seed = joiner.join(name, shares, partial(_is_mask_key, session, keys[name]))
            for above, key in self._left_over(name, seed):
                (plus if above else minus).append(key)
        return plus, minus

    def _left_over(self, dead: str, seed: bytes) -> Iterator[tuple[bool, bytes]]:
        """Whether the neighbour stands above the dead silo, and the key of their common mask."""
        terms, keys = self._terms, self._known.shared.advertised.keys
        own = mask_key(terms.session, seed)
        for name in terms.neighbours(dead, self._known.alive):
            key = pair_mask_key(terms.session, own, keys[name].mask_key)
            yield terms.index[name] > terms.index[dead], key

    def _check_sum(self, total: Words) -> None:
        most = len(self._known.alive) * self._terms.cap
        if int(total.max()) > most:
            reason = "the sum is more than these silos may count"
            abort(STAGE, reason, what="aggregate", expected=f"at most {most}", got="more")


def _is_self_mask(session: bytes, keys: m.AdvertiseKeys, seed: bytes) -> bool:
    return self_mask_hash(session, seed) == keys.self_mask_hash


def _is_mask_key(session: bytes, keys: m.AdvertiseKeys, seed: bytes) -> bool:
    return mask_key(session, seed).public == keys.mask_key
