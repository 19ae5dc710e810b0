"""Round 4, silo's side: one share for each neighbour, of its self mask or of its mask key.

Never both: the lists are disjoint, and a silo answers once.
"""

from collections.abc import Sequence

from collude.codef.secagg import messages as m
from collude.codef.secagg.client.r2_masked_input import Received

_SELF_MASK, _MASK_KEY = 0, 1


def unmask(known: Received) -> m.Unmask:
    """Return shares: of the self masks of those in the sum, of the mask keys of the others."""
    return m.Unmask(
        self_masks=_shares(known, known.alive, _SELF_MASK),
        mask_keys=_shares(known, known.dead, _MASK_KEY),
    )


def _shares(known: Received, names: Sequence[str], which: int) -> tuple[m.NamedShare, ...]:
    held = (name for name in names if name in known.shares)
    return tuple(m.NamedShare(name, known.shares[name][which]) for name in held)
