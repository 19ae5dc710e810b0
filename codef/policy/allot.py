"""Who gets the slots of a grant: fair, and computed alike by everybody from public bytes."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from collude.codef.numeric.checks import refuse
from collude.codef.policy.grant import WITHHELD, Counts, Grant
from collude.common.encoding import encode

TAG = "codef/v1/allot"


class Lot(NamedTuple):
    """One silo's lease.

    Attributes:
        levels: (n,), index into the policy's levels, -1 to withhold.
        slots: (n,), answers that the silo may give about each person; 0 exactly where withheld.
    """

    levels: Counts
    slots: Counts


def allot(grant: Grant, silos: Sequence[str], slots_per_lease: int, seed: bytes) -> dict[str, Lot]:
    """Return each silo's lease.

    About each person, `slots_per_lease` go to one silo after another until the total is used up;
    the last gets what is left. The silos stand in the order of their names, and who is first is
    drawn anew for each person from SHAKE-256 of the seed: each is first equally often (but for
    less than 2^-50 of the draws). If the grant is not leased, each gets an equal part of it.

    Args:
        grant: of a policy, for n persons.
        silos: distinct names, 1 or more, in any order.
        slots_per_lease: 1 or more.
        seed: public, another for each epoch.

    Returns:
        By name. About each person the slots add up to the total, or to `slots_per_lease` for
        every silo if that is less; each silo has from 0 to `slots_per_lease`.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    names = sorted(silos)
    if not names or len(set(names)) < len(names):
        refuse("silos", "distinct names, one or more", silos)
    if slots_per_lease < 1:
        refuse("slots_per_lease", "1 or more", slots_per_lease)
    if grant.leased:
        before = slots_per_lease * _ranks(len(names), len(grant.total), seed)
        slots = np.clip(grant.total - before, 0, slots_per_lease)
    else:
        slots = np.tile(grant.total // len(names), (len(names), 1))
    levels = np.where(slots > 0, grant.levels, WITHHELD)
    return {name: Lot(levels[at], slots[at]) for at, name in enumerate(names)}


def _ranks(silos: int, persons: int, seed: bytes) -> Counts:
    """Return how many silos come before each silo, (K, n)."""
    stream = hashlib.shake_256(encode(TAG, seed)).digest(8 * persons)
    first = (np.frombuffer(stream, dtype="<u8") % silos).astype(np.int64)
    ranks: Counts = (np.arange(silos)[:, None] - first) % silos
    return ranks
