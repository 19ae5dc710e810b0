"""Dealing a data set to the participants.

The split needs no secret: it is drawn from the scenario's public seed digest, so everybody who
has the scenario makes the same one.
"""

import numpy as np
from numpy.typing import NDArray

from collude.common.data.dataset import Dataset, People
from collude.common.data.person_index import with_persons
from collude.common.data.share import Share, check_share
from collude.common.encoding import encode
from collude.common.errors import DataInvalid
from collude.common.randomness import generator_from_bytes, hkdf
from collude.common.scenario import Scenario, seed_digest

Indices = NDArray[np.intp]


def split(dataset: Dataset, scenario: Scenario) -> dict[str, Share]:
    """Return each participant's share: disjoint, together the whole data set.

    Under CoDef each share also says whose its rows are.

    A data set that knows its people is split by people instead: see `split_by_people`. One
    that says at which site a record lies leaves it there.

    Every class is dealt round-robin in random order, so shares differ by at most one row a
    class; within a share every 1/test_fraction-th row in order of class is held out.

    Raises:
        DataInvalid: the data set is too small to give everybody a row to send and one to hold
            out, or it has more persons than are counted.
    """
    shares = _split(dataset, scenario)
    if not scenario.codef.enabled:
        return shares
    people = dataset.people
    known = None if people is None else uploaded_identities(people, scenario)
    return with_persons(shares, scenario, known)


def _split(dataset: Dataset, scenario: Scenario) -> dict[str, Share]:
    if dataset.people is not None:
        return split_by_people(dataset, dataset.people, scenario)
    if dataset.sites is not None:
        return _split_by_site(dataset, dataset.sites, scenario)
    key = hkdf(seed_digest(scenario), encode("collude/v1/split"))
    rng = generator_from_bytes(key)
    by_class = _shuffled_by_class(dataset.labels, rng)
    count = len(scenario.participants)
    return {
        party: _share(dataset, by_class[number::count], scenario, party)
        for number, party in enumerate(scenario.participants)
    }


def split_by_people(dataset: Dataset, people: People, scenario: Scenario) -> dict[str, Share]:
    """Return each participant's share: whole people, in their order, equally many each.

    A person's reserved record is in no share. Of its other records, every 1/test_fraction-th is
    held out: records are split within people, and reports say so.

    Raises:
        DataInvalid: there are fewer people than participants, or too few records of one.
    """
    rows_of = _rows_by_people(people, scenario)
    return {party: _share(dataset, rows, scenario, party) for party, rows in rows_of.items()}


def _split_by_site(
    dataset: Dataset, sites: NDArray[np.int64], scenario: Scenario
) -> dict[str, Share]:
    """Return each site's own records; every 1/test_fraction-th in order of class is held out."""
    by_class = np.argsort(dataset.labels, kind="stable")
    return {
        party: _share(dataset, by_class[sites[by_class] == number], scenario, party)
        for number, party in enumerate(scenario.participants)
    }


def uploaded_identities(people: People, scenario: Scenario) -> dict[str, NDArray[np.int64]]:
    """Return who is on each record that a participant uploads, in that order: for scoring."""
    rows_of = _rows_by_people(people, scenario)
    return {
        party: people.identities[_divided(rows, scenario)[0]] for party, rows in rows_of.items()
    }


def _rows_by_people(people: People, scenario: Scenario) -> dict[str, Indices]:
    known = np.unique(people.identities)
    each = len(known) // len(scenario.participants)
    return {
        party: np.flatnonzero(
            np.isin(people.identities, known[number * each : (number + 1) * each])
            & ~people.reserved
        )
        for number, party in enumerate(scenario.participants)
    }


def _shuffled_by_class(labels: NDArray[np.int64], rng: np.random.Generator) -> Indices:
    order = rng.permutation(len(labels))
    return order[np.argsort(labels[order], kind="stable")]


def _share(dataset: Dataset, rows: Indices, scenario: Scenario, party: str) -> Share:
    train, test = _divided(rows, scenario)
    if not len(train) or not len(test):
        raise DataInvalid(
            f"the data set of {len(dataset.labels)} rows is too small for so many participants",
            party=party,
            field="data.participants",
            expected="at least one row to send and one to hold out for each",
            got=f"{len(train)} and {len(test)}",
        )
    share = Share(
        dataset.records[train], dataset.labels[train], dataset.records[test], dataset.labels[test]
    )
    return check_share(share, party)


def _divided(rows: Indices, scenario: Scenario) -> tuple[Indices, Indices]:
    """Return the rows to send, and those to hold out."""
    held_out = _every_nth(len(rows), scenario.data.test_fraction)
    return np.sort(rows[~held_out]), np.sort(rows[held_out])


def _every_nth(count: int, fraction: float) -> NDArray[np.bool_]:
    """Return (count,) marks, evenly spaced, floor(count * fraction) of them true."""
    steps = np.floor(np.arange(count + 1) * fraction).astype(np.intp)
    marks: NDArray[np.bool_] = steps[1:] > steps[:-1]
    return marks
