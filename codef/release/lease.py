"""What a silo may answer until the next count."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from collude.common.errors import PeriodAborted
from collude.common.ids import COORDINATOR
from collude.common.protocol.release_messages import WITHHELD


@dataclass(frozen=True, eq=False)
class Lease:
    """A level and a number of answers for each person.

    Attributes:
        levels: (n,), index into the policy's levels; -1: nothing new is answered.
        slots: (n,), first-time answers about each person.
    """

    levels: NDArray[np.int64]
    slots: NDArray[np.int64]


def checked_lease(levels: ArrayLike, slots: ArrayLike, persons: int, most_level: int) -> Lease:
    """Return a copy of a lease as the coordinator gave it.

    Args:
        levels: (n,) whole numbers from -1 to `most_level`.
        slots: (n,) whole numbers, 0 or more; 0 where the level is -1.
        persons: n.
        most_level: the policy's last level.

    Raises:
        PeriodAborted: it is no lease of this policy; names the coordinator and the field.
    """
    lease = Lease(_numbers("levels", levels, persons), _numbers("slots", slots, persons))
    withheld = lease.levels == WITHHELD
    if bool(((lease.levels < WITHHELD) | (lease.levels > most_level)).any()):
        _abort("levels", f"from -1 to {most_level}", "another level")
    if bool((lease.slots < 0).any()):
        _abort("slots", "0 or more", "fewer")
    if bool((withheld & (lease.slots > 0)).any()):
        _abort("slots", "0 where the level is -1", "some")
    return lease


def _numbers(field: str, values: ArrayLike, persons: int) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.shape != (persons,) or array.dtype.kind not in "iu":
        expected = f"whole numbers, one for each of {persons} persons"
        _abort(field, expected, f"{array.dtype} of shape {array.shape}")
    return array.astype(np.int64)


def _abort(field: str, expected: str, got: str) -> None:
    raise PeriodAborted(
        "this is no lease of the policy",
        party=COORDINATOR,
        field=f"codef_adapt/{field}",
        expected=expected,
        got=got,
    )
