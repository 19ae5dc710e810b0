"""Whose each row is: the common index of persons by which budgets are counted.

A participant must know it of its own rows, and of nobody else's; the analyst never does. Where a
data set is dealt out, it is the rank of an identity among all that are uploaded; where it knows
nobody, every row is a person of its own. Participants with records of their own need record
linkage, which happens outside: their file says whose the rows are.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from collude.common.data.share import Share
from collude.common.errors import DataInvalid
from collude.common.scenario import Scenario


def with_persons(
    shares: Mapping[str, Share],
    scenario: Scenario,
    identities: Mapping[str, NDArray[np.int64]] | None,
) -> dict[str, Share]:
    """Return the shares, each saying whose its rows are.

    Args:
        shares: by participant.
        scenario: with CoDef.
        identities: who is on each row, by participant, or None where nobody knows.

    Raises:
        DataInvalid: there are more persons than the scenario counts.
    """
    known = _each_row(shares) if identities is None else identities
    everybody = np.unique(np.concatenate(list(known.values())))
    if len(everybody) > scenario.codef.persons:
        raise DataInvalid(
            "the data set has more persons than are counted",
            field="codef.persons",
            expected=f"at least {len(everybody)}",
            got=scenario.codef.persons,
            hint="Budgets grow with ln n: state how many persons there are, and not more",
        )
    return {
        name: replace(share, persons=np.searchsorted(everybody, known[name]).astype(np.int64))
        for name, share in shares.items()
    }


def _each_row(shares: Mapping[str, Share]) -> dict[str, NDArray[np.int64]]:
    counts = [len(share.records) for share in shares.values()]
    ends = np.cumsum(counts)
    return {
        name: np.arange(end - count, end)
        for name, count, end in zip(shares, counts, ends, strict=True)
    }


def persons_of(share: Share, persons: int, party: str) -> NDArray[np.int64]:
    """Return (n,) the person behind each row of a share.

    Args:
        share: of the party.
        persons: how many the scenario counts.
        party: for errors.

    Raises:
        DataInvalid: the share does not say, or names a person that is not counted.
    """
    if share.persons is None:
        raise DataInvalid(
            "the records do not say whose they are, so nothing can be counted",
            party=party,
            field="persons",
            expected="an array persons, one index from 0 for each row",
            hint="Link the records to the common index of persons first",
        )
    highest = int(share.persons.max())
    if highest >= persons:
        raise DataInvalid(
            "a row is of a person that is not counted",
            party=party,
            field="persons",
            expected=f"from 0 to {persons - 1} (codef.persons)",
            got=highest,
        )
    return share.persons
