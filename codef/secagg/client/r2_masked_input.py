"""Round 2, silo's side: send the counts under my own mask and one mask for every neighbour.

y_i = v_i + PRG(b_i) + sum_{j>i} PRG(s_ij) - sum_{j<i} PRG(s_ij) mod 2^w.

Source: K. Bonawitz et al., Practical secure aggregation for privacy-preserving machine learning,
CCS 2017, section 4.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO

from collude.codef.secagg import messages as m
from collude.codef.secagg.aborts import abort, check_list
from collude.codef.secagg.client.core import Core
from collude.codef.secagg.client.r1_share_keys import Shared
from collude.codef.secagg.keys import mask_key, pair_mask_key, self_mask_key, view_hash
from collude.codef.secagg.prg import Masks, pieces
from collude.codef.secagg.stages import Stage
from collude.common.secret import Secret

STAGE = Stage.MASKED_INPUT


@dataclass(frozen=True, slots=True, repr=False)
class Received(Secret):
    """Known after the masked counts: who is in the sum (U2). Counts and seeds are gone.

    Attributes:
        shares: (self mask, mask key) by name.
        alive: U2.
        dead: U1 without U2.
        view: hash of the keys, U1 and U2 that I was shown.
    """

    shares: Mapping[str, tuple[bytes, bytes]]
    alive: tuple[str, ...]
    dead: tuple[str, ...]
    view: bytes


class MaskedInputState:
    """Waiting for the list of those whose counts came."""

    def __init__(self, core: Core, shared: Shared) -> None:
        """Mask the counts; they and the seeds are not kept."""
        self._core, self._silos, self._shares = core, shared.silos, shared.shares
        self._advertised_hash = shared.advertised.hash
        self._masked = m.MaskedInput(_masked(core, shared))

    def opening(self) -> m.MaskedInput:
        """Send the masked counts."""
        return self._masked

    def receive(self, message: m.InputsReceived) -> Received:
        """Check who is in the sum.

        Raises:
            AggregationAborted: too few silos, or some that had not shared their keys.
        """
        alive, terms = message.silos, self._core.terms
        there = set(alive)
        check_list(STAGE, "silos", alive, self._silos, terms.least_summed)
        if self._core.name not in there:
            abort(STAGE, "my masked counts are not counted", what="silos")
        dead = tuple(name for name in self._silos if name not in there)
        view = view_hash(terms.session, self._advertised_hash, self._silos, alive)
        return Received(self._shares, alive, dead, view)


def _masked(core: Core, shared: Shared) -> bytes:
    terms, known = core.terms, shared.advertised
    own = mask_key(terms.session, known.seeds.mask_key)
    plus = [self_mask_key(terms.session, known.seeds.self_mask)]
    minus: list[bytes] = []
    for name in terms.neighbours(core.name, shared.silos):
        key = pair_mask_key(terms.session, own, known.keys[name].mask_key)
        (plus if terms.index[name] > terms.index[core.name] else minus).append(key)
    masks, modulus, sent = Masks(plus, minus), terms.modulus, BytesIO()
    for piece in pieces(known.counts, modulus.dtype.itemsize):
        words = modulus.words(piece)
        masks.add_to(words)
        modulus.reduce(words)
        sent.write(words.data)
    return sent.getvalue()
