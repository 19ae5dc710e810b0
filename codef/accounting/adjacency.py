"""Which worlds XSP-DP compares."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from collude.codef.numeric.checks import refuse


def differing_person(one: Sequence[ArrayLike], other: Sequence[ArrayLike]) -> int | None:
    """Return the one person whose records differ between two worlds, or None if none do.

    Args:
        one: for every silo its records, row p belonging to person p; the same rows everywhere,
            and a person a silo does not know has its row of zeros.
        other: the other world, with the same silos and shapes.

    Raises:
        ParameterInvalid: the shapes differ, or more than one person's records do.
    """
    if len(one) != len(other):
        refuse("worlds", "of the same silos", (len(one), len(other)))
    changed: set[int] = set()
    for mine, theirs in zip(map(np.asarray, one), map(np.asarray, other), strict=True):
        if mine.shape != theirs.shape:
            refuse("worlds", "of the same shape in every silo", (mine.shape, theirs.shape))
        rows = (mine != theirs).reshape(len(mine), -1).any(axis=1)
        changed |= set(np.flatnonzero(rows).tolist())
    if len(changed) > 1:
        refuse("worlds", "different in one person's records", f"{len(changed)} persons")
    return next(iter(changed), None)


def person_neighbours(one: Sequence[ArrayLike], other: Sequence[ArrayLike]) -> bool:
    """Return whether two worlds differ in exactly one person's records, in any number of silos.

    Raises:
        ParameterInvalid: the shapes differ, or more than one person's records do.
    """
    return differing_person(one, other) is not None
