"""The analyst's uploads: a refused one leaves nothing behind and harms no other."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.federation import P0, P1, P2, D, federation, parties
from testkit.network import rewrite, talk

from collude.common.errors import ProtocolViolation, UploadRejected
from collude.common.ids import ANALYST
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message

FED = federation()


def filled(array, value):
    changed = array.copy()
    changed[-1, -1] = value
    return changed


def collinear(anchor):
    changed = anchor.copy()
    changed[:, 0] = changed[:, 1] + 3.0
    return changed


BAD = {
    "NaN record": lambda u: replace(u, private=filled(u.private, np.nan)),
    "infinite record": lambda u: replace(u, private=filled(u.private, -np.inf)),
    "huge record": lambda u: replace(u, private=filled(u.private, 1e200)),
    "NaN anchor": lambda u: replace(u, anchor=filled(u.anchor, np.nan)),
    "infinite anchor": lambda u: replace(u, anchor=filled(u.anchor, np.inf)),
    "huge anchor": lambda u: replace(u, anchor=filled(u.anchor, 1e300)),
    "zero rows": lambda u: replace(u, private=u.private[:0], labels=u.labels[:0]),
    "another width": lambda u: replace(u, private=u.private[:, :-1]),
    "another d": lambda u: replace(u, private=u.private[:, :-1], anchor=u.anchor[:, :-1]),
    "too wide": lambda u: replace(u, private=np.hstack([u.private, u.private])),
    "too few labels": lambda u: replace(u, labels=u.labels[:-1]),
    "too many labels": lambda u: replace(u, labels=np.append(u.labels, 1)),
    "no labels": lambda u: replace(u, labels=u.labels[:0]),
    "no anchor": lambda u: replace(u, anchor=None),
    "empty anchor": lambda u: replace(u, anchor=u.anchor[:0]),
    "r = d": lambda u: replace(u, anchor=u.anchor[:D]),
    "another r": lambda u: replace(u, anchor=np.vstack([u.anchor, u.anchor])),
    "anchor of zeros": lambda u: replace(u, anchor=np.zeros_like(u.anchor)),
    "constant anchor": lambda u: replace(u, anchor=np.ones_like(u.anchor)),
    "rank-deficient anchor": lambda u: replace(u, anchor=collinear(u.anchor)),
}


def uploads_of(talked):
    return talked.parties.analyst.collected


def refused(fed, change, kind=UploadRejected):
    talked = talk(parties(fed), hands={P1: rewrite(m.Upload, change)})
    (first, *_) = talked.parties.analyst.refused
    assert isinstance(first, kind)
    assert first.party == P1
    assert first.field
    assert type(talked.errors[P1]) is type(first)
    assert talked.errors[P1].field == first.field
    assert uploads_of(talked) is None
    assert talked.received(P1, m.UploadReceipt) == []
    for name in (ANALYST, P0, P2):
        assert (type(talked.errors[name]), talked.errors[name].party) == (type(first), P1)
    return first


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_an_upload_that_cannot_be_used_is_refused_by_party_and_field(change):
    assert refused(FED, change).reason


def test_an_anchor_where_the_method_has_none_is_refused():
    error = refused(federation("i-gdp"), lambda u: replace(u, anchor=np.zeros((9, D))))
    assert error.field == "anchor"


@pytest.mark.parametrize("change", [BAD["NaN record"], BAD["no anchor"], BAD["huge anchor"]])
def test_a_refused_upload_can_be_sent_again_rightly(change):
    hand = rewrite(m.Upload, lambda upload: (change(upload), upload))
    talked = talk(parties(FED), hands={P1: hand})
    # Its session ends at the refusal, but the analyst has the second one and all others.
    sent = decode_message(talked.received(ANALYST, m.Upload)[-1].body)
    assert set(uploads_of(talked).uploads) == {P0, P1, P2}
    assert any(u == sent for u in uploads_of(talked).uploads.values())


def test_a_second_upload_does_not_replace_the_first():
    def other(upload):
        return upload, replace(upload, private=upload.private + 1.0)

    honest = talk(parties(FED)).parties.analyst.collected.uploads[P1]
    talked = talk(parties(FED), hands={P1: rewrite(m.Upload, other)})
    assert type(talked.parties.analyst.refused[0]) is ProtocolViolation
    assert uploads_of(talked).uploads[P1] == honest


def test_each_receipt_names_the_very_bytes_that_came():
    talked = talk(parties(FED))
    by_sender = {p.sender: p.digest() for p in talked.received(ANALYST, m.Upload)}
    for name in (P0, P1, P2):
        (receipt,) = (decode_message(p.body) for p in talked.received(name, m.UploadReceipt))
        assert receipt.upload_digest == by_sender[name]
