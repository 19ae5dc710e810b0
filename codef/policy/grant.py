"""What may be answered about each person until the next count, all silos together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from collude.codef.numeric.checks import refuse

Counts = NDArray[np.int64]
WITHHELD = -1


@dataclass(frozen=True, eq=False)
class Grant:
    """A level and a number of slots for each person.

    Attributes:
        levels: (n,), index into the policy's levels, -1 to withhold.
        total: (n,), answers that all silos together may give about each person; 0 if withheld.
        leased: False: no limit but that each silo answers each attribute once, so every silo gets
            an equal part of the total.
    """

    levels: Counts
    total: Counts
    leased: bool = True


class ReleasePolicy(Protocol):
    """What an entry point of the group `collude.policies` makes out of `PolicySettings`.

    It is a pure function of counts: what it grants depends on nothing else, so a refusal tells
    nothing about an answer.

    Attributes:
        name: as registered.
        levels: epsilons, descending; the index of one is the level on the wire.
        leased: whether a silo's slots bound what it adds to the count; False: leases bound
            nothing, and what silos answer between two counts comes on top.
        unit: nats of one count, or None: counts are answers.
        cap: c_max, the most that one silo counts about one person in a period, 1 or more.
        guarantee: one sentence for the report: what it promises, or that it promises nothing.
    """

    @property
    def name(self) -> str:
        """As registered."""
        ...

    @property
    def levels(self) -> tuple[float, ...]:
        """Epsilons, descending."""
        ...

    @property
    def leased(self) -> bool:
        """Whether slots bound what is answered."""
        ...

    @property
    def unit(self) -> float | None:
        """Nats of one count, or None."""
        ...

    @property
    def cap(self) -> int:
        """c_max."""
        ...

    @property
    def guarantee(self) -> str:
        """One sentence."""
        ...

    def charge(self, level: int) -> int:
        """Return what one answer at this level adds to the answering silo's count; 0 at -1."""
        ...

    def charge_of_lease(self, level: int, slots: int) -> int:
        """Return the most that a lease can add to the count of the silo that holds it."""
        ...

    def grant(self, spent: Counts, silos: int, slots_per_lease: int) -> Grant:
        """Return what may be answered until the next count.

        The more was spent, the less each silo's lease is worth: silos refuse one that would add
        more to their count than the one they would get if nothing had been spent.

        Args:
            spent: (n,), 0 or more: all that was counted, and all that may have been answered by
                silos that were not (`Spending`).
            silos: that will get a lease, 1 or more.
            slots_per_lease: the most that one of them may answer about one person, 1 or more.

        Raises:
            ParameterInvalid: an argument is out of range.
        """
        ...


def person_by_person(
    spent: Counts, silos: int, slots_per_lease: int, decide: Callable[[int], tuple[int, int]]
) -> Grant:
    """Return a grant that decides once for each distinct count.

    Args:
        spent: (n,), 0 or more.
        silos: 1 or more.
        slots_per_lease: 1 or more.
        decide: from what was spent to (level, slots of all silos).

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    counts = np.asarray(spent)
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or bool((counts < 0).any()):
        refuse("spent", "whole numbers, 0 or more, one a person", f"{counts.dtype} {counts.shape}")
    for name, value in (("silos", silos), ("slots_per_lease", slots_per_lease)):
        if value < 1:
            refuse(name, "1 or more", value)
    values, place = np.unique(counts, return_inverse=True)
    decided = np.array([decide(int(value)) for value in values], dtype=np.int64).reshape(-1, 2)
    return Grant(decided[place, 0], decided[place, 1])
