"""A silo's own counts, checked before anything is made of them. No count enters an error."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from collude.codef.numeric.checks import refuse

Counts = NDArray[np.uint64]


def checked_counts(
    values: ArrayLike, length: int, cap: int, previous: ArrayLike | None = None
) -> Counts:
    """Return a copy of a silo's counts, shape (length,).

    Args:
        values: whole numbers from 0 to `cap`.
        length: persons.
        cap: the most one silo may count about one person.
        previous: the counts that this silo last committed to in this budget period.

    Raises:
        ParameterInvalid: another length or type, or a count is out of range or has decreased.
    """
    counts = np.asarray(values)
    if counts.dtype.kind not in "iu":
        refuse("counts", "whole numbers", f"type {counts.dtype}")
    if counts.shape != (length,):
        refuse("counts", f"one for each of {length} persons", f"shape {counts.shape}")
    if bool(((counts < 0) | (counts > cap)).any()):
        refuse("counts", f"from 0 to {cap}", "a count outside")
    checked = counts.astype(np.uint64)
    if previous is not None and bool((checked < checked_counts(previous, length, cap)).any()):
        refuse("counts", "no less than before, within one budget period", "a count that decreased")
    return checked
