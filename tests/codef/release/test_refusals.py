"""Queries and leases that are none: refused by name, and nothing changed."""

import numpy as np
import pytest
from testkit.answering import ATTRIBUTES, EVERYTHING, KEY, OTHER, PERSONS, QUERIER, silo

from collude.codef.release import Held, handles_of
from collude.common.errors import DataInvalid, ParameterInvalid, PeriodAborted, ReleaseRefused
from collude.common.protocol.release_messages import Query

GOOD = handles_of(KEY, QUERIER, PERSONS)

BAD_QUERIES = {
    "an unknown handle": (GOOD[0] + bytes(16), [0, 0], "query/handles"),
    "a handle of another querier": (handles_of(KEY, OTHER, 1)[0], [0], "query/handles"),
    "a handle of another key": (handles_of(bytes(32), QUERIER, 1)[0], [0], "query/handles"),
    "a handle cut short": (GOOD[0][:15], [0], "query/handles"),
    "a handle too many": (GOOD[0] + GOOD[1], [0], "query/handles"),
    "no handles": (b"", [0], "query/handles"),
    "an attribute too high": (GOOD[0] + GOOD[1], [0, ATTRIBUTES], "query/attributes"),
    "an attribute below 0": (GOOD[0], [-1], "query/attributes"),
    "a matrix of attributes": (GOOD[0], [[0]], "query/attributes"),
    "attributes in fractions": (GOOD[0], [0.0], "query/attributes"),
    "more than all questions": (
        GOOD[0] * (PERSONS * ATTRIBUTES + 1),
        [0] * (PERSONS * ATTRIBUTES + 1),
        "query/attributes",
    ),
}


@pytest.mark.parametrize("case", BAD_QUERIES)
def test_a_query_that_is_none_is_refused_and_changes_nothing(case):
    handles, attributes, field = BAD_QUERIES[case]
    here = silo()
    here.lease()
    with pytest.raises(ReleaseRefused) as refused:
        here.responder.answer(Query(0, handles, np.array(attributes), last=True), QUERIER)
    assert refused.value.party == QUERIER
    assert refused.value.field == field
    assert len(here.book) == 0
    frozen = here.responder.freeze()
    assert frozen.counts.tolist() == [0] * PERSONS
    assert frozen.receipts == ()


def lease_of(levels, slots) -> tuple[np.ndarray, np.ndarray]:
    return np.array(levels), np.array(slots)


BAD_LEASES = {
    "too few levels": (lease_of([0] * 5, [1] * 6), "levels"),
    "too few slots": (lease_of([0] * 6, [1] * 5), "slots"),
    "a table of levels": (lease_of([[0] * 6], [1] * 6), "levels"),
    "levels in fractions": (lease_of([0.0] * 6, [1] * 6), "levels"),
    "slots in fractions": (lease_of([0] * 6, [1.0] * 6), "slots"),
    "a level that the policy lacks": (lease_of([4] + [0] * 5, [1] * 6), "levels"),
    "a level below -1": (lease_of([-2] + [0] * 5, [0] * 6), "levels"),
    "slots below 0": (lease_of([0] * 6, [-1] + [1] * 5), "slots"),
    "slots where withheld": (lease_of([-1] + [0] * 5, [1] * 6), "slots"),
}


@pytest.mark.parametrize("case", BAD_LEASES)
def test_a_lease_that_is_none_is_refused_by_field(case):
    (levels, slots), field = BAD_LEASES[case]
    here = silo()
    with pytest.raises(PeriodAborted) as refused:
        here.responder.lease(levels, slots)
    assert refused.value.party == "coordinator"
    assert refused.value.field == f"codef_adapt/{field}"
    assert {level for level, _ in here.ask(EVERYTHING)} == {-1}  # none is held


def test_a_lease_before_the_last_was_frozen_is_refused():
    here = silo()
    here.lease()
    with pytest.raises(ParameterInvalid):
        here.lease()
    here.responder.freeze()
    here.lease()


def test_a_lease_is_copied():
    here = silo()
    levels, slots = np.zeros(PERSONS, np.int64), np.ones(PERSONS, np.int64)
    here.responder.lease(levels, slots)
    slots += 5
    assert [level for level, _ in here.ask([(0, 0), (0, 1)])] == [0, -1]


@pytest.mark.parametrize(
    ("attributes", "present"),
    [([[0, 2]], [True]), ([[0.0, 1.0]], [True]), ([0, 1], [True, True]), ([[0, 1]], [1]),
     ([[0, 1]], [True, False])],
)  # fmt: skip
def test_what_is_no_bits_about_persons_is_refused(attributes, present):
    with pytest.raises(DataInvalid):
        Held(0, np.array(attributes), np.array(present))


def test_who_asks_must_be_said_where_several_may():
    here = silo()
    here.lease()
    with pytest.raises(ParameterInvalid):
        here.responder.answer(here.query([(0, 0)]))
    with pytest.raises(ParameterInvalid):
        _ = here.responder.handles
    assert here.responder.handles_for(OTHER) == b"".join(sorted(handles_of(KEY, OTHER, PERSONS)))
