"""The analyst's pooling of counts: what are no counts is refused."""

import numpy as np
import pytest
from testkit.federation import P0, P1, P2, federation, parties
from testkit.network import rewrite, talk

from collude.common.errors import ProtocolViolation
from collude.common.ids import ANALYST
from collude.common.methods import METHODS
from collude.common.protocol import messages as m

FED = federation("local")


def evaluation(classes, counts):
    return m.Evaluation(np.array(classes, np.int64), np.array(counts, np.int64))


BAD = {
    "negative": evaluation([0, 1], [[1, 0], [0, -1]]),
    "most negative": evaluation([0], [[-(2**63)]]),
    "overflowing": evaluation([0, 1], [[2**63 - 1, 0], [0, 1]]),
    "absurd": evaluation([0], [[2**60]]),
    "not square": evaluation([0, 1], [[1, 0]]),
    "too wide": evaluation([0, 1], [[1, 0, 0], [0, 1, 0], [0, 0, 0]]),
    "repeated class": evaluation([1, 1], [[1, 0], [0, 1]]),
    "classes out of order": evaluation([1, 0], [[1, 0], [0, 1]]),
    "overflowing classes": evaluation([2**63 - 1, -(2**63)], [[1, 0], [0, 1]]),
    "no classes but counts": m.Evaluation(np.zeros(0, np.int64), np.ones((1, 1), np.int64)),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_what_are_no_counts_is_refused_and_the_others_are_kept(bad):
    talked = talk(parties(FED), hands={P1: rewrite(m.Evaluation, lambda _: bad)})
    (first, *_) = talked.parties.analyst.refused
    assert (type(first), first.party, first.field) == (ProtocolViolation, P1, "counts")
    assert type(talked.errors[P1]) is ProtocolViolation
    assert talked.parties.analyst.counts is None
    for name in (ANALYST, P0, P2):
        assert type(talked.errors[name]) is ProtocolViolation
        assert talked.errors[name].party == P1


def test_a_participant_without_held_out_records_is_welcome():
    nothing = m.Evaluation(np.zeros(0, np.int64), np.zeros((0, 0), np.int64))
    talked = talk(parties(FED), hands={P1: rewrite(m.Evaluation, lambda _: nothing)})
    assert set(talked.errors.values()) == {None}
    assert talked.parties.analyst.counts.total == 4


def test_classes_that_only_one_participant_knows_are_pooled():
    strange = evaluation([-7, 5], [[3, 1], [0, 2]])
    talked = talk(parties(FED), hands={P1: rewrite(m.Evaluation, lambda _: strange)})
    assert talked.parties.analyst.counts.classes.tolist() == [-7, 0, 1, 5]
    assert talked.parties.analyst.counts.total == 10


@pytest.mark.parametrize("method", METHODS)
def test_every_held_out_record_is_counted_once(method):
    counts = talk(parties(federation(method))).parties.analyst.counts
    assert counts.total == 6
