"""What is charged: all that was counted, and all that others may have answered."""

from collections.abc import Collection, Mapping

import numpy as np

from collude.codef.numeric.checks import refuse
from collude.codef.policy.allot import Lot
from collude.codef.policy.grant import Counts, ReleasePolicy


class Spending:
    """The leases of a period, and what they may have cost.

    A silo that was counted is in the sum with all that it answered in the period. One that was
    not is in it with nothing, though it may have used EVERY lease that it ever held: all of them
    are charged until it is counted again. Charging its latest alone overspends.
    """

    def __init__(self, policy: ReleasePolicy, persons: int) -> None:
        """Begin a period in which nothing was granted yet."""
        self._policy = policy
        self._persons = persons
        self._granted: dict[str, Counts] = {}

    def grant(self, lots: Mapping[str, tuple[Counts, Counts]]) -> None:
        """Remember the leases of an epoch: (n,) levels and (n,) slots by silo.

        Raises:
            ParameterInvalid: a lease has another shape, or a level that the policy lacks.
        """
        for name, lot in lots.items():
            charged = lease_charges(self._policy, Lot(*lot))
            if charged.shape != (self._persons,):
                refuse("lots", f"one lease a person, ({self._persons},)", charged.shape)
            self._granted[name] = self._granted.get(name, 0) + charged

    def spent(self, total: Counts, counted: Collection[str]) -> Counts:
        """Return what is charged about each person, (n,): at least what was used.

        Args:
            total: (n,), the sum of the counts of `counted`.
            counted: silos in the sum.
        """
        charged = np.array(total, dtype=np.int64)
        if not self._policy.leased:  # the paper's rule knows of no leases
            return charged
        for name, granted in self._granted.items():
            if name not in counted:
                charged += np.minimum(granted, self._policy.cap)
        return charged


def lease_charges(policy: ReleasePolicy, lot: Lot) -> Counts:
    """Return the most that a lease adds to its silo's count about each person, (n,).

    Raises:
        ParameterInvalid: a level is none of the policy's.
    """
    pairs, place = np.unique(np.stack(lot), axis=1, return_inverse=True)
    charges = [policy.charge_of_lease(int(level), int(slots)) for level, slots in pairs.T]
    charged: Counts = np.array(charges, dtype=np.int64)[place.ravel()]
    return charged
