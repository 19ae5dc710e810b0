"""Who holds the CA's key can connect as anybody, and still speaks for nobody."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from testkit.federation import P0, P1, P2, core, federation, parties
from testkit.hostile import flipped
from testkit.network import rewrite, talk

from collude.common.errors import IdentityRefused
from collude.common.ids import ANALYST
from collude.common.methods import METHODS
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message
from collude.common.protocol.signed import signed, verify_signed

FED = federation()
SESSION = bytes(range(32))
KEY = core(FED, P1).signing_key
UPLOADING = [method for method, traits in METHODS.items() if traits.uploads]


def sent(kind, name=P1, occasion=0):
    """What a participant sends when nobody is in between."""
    (parcel,) = (
        p for p in talk(parties(FED, occasion)).received(ANALYST, kind) if p.sender == name
    )
    return decode_message(parcel.body)


FORGED = {
    "other records": (m.Upload, lambda u: replace(u, private=u.private + 1e-9)),
    "another anchor": (m.Upload, lambda u: replace(u, anchor=u.anchor[::-1].copy())),
    "other labels": (m.Upload, lambda u: replace(u, labels=1 - u.labels)),
    "no signature": (m.Upload, lambda u: replace(u, signature=m.UNSIGNED)),
    "one bit of the signature": (
        m.Upload, lambda u: replace(u, signature=flipped(u.signature, 40)),
    ),
    "of an earlier session": (m.Upload, lambda _: sent(m.Upload, occasion=1)),
    "signed by another": (m.Upload, lambda _: sent(m.Upload, P2)),
    "other counts": (m.Evaluation, lambda e: replace(e, counts=e.counts + 1)),
    "counts of an earlier session": (m.Evaluation, lambda _: sent(m.Evaluation, occasion=1)),
    "counts of another": (m.Evaluation, lambda _: sent(m.Evaluation, P2)),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "change"), FORGED.values(), ids=FORGED)
def test_what_its_owner_did_not_sign_is_refused(kind, change):
    talked = talk(parties(FED), hands={P1: rewrite(kind, change)}, sign=False)
    (first, *_) = talked.parties.analyst.refused
    assert (type(first), first.party) == (IdentityRefused, P1)
    assert isinstance(talked.errors[ANALYST], IdentityRefused)
    assert talked.parties.analyst.counts is None
    assert (talked.parties.analyst.collected is None) == (kind is m.Upload)


@pytest.mark.parametrize(("kind", "change"), FORGED.values(), ids=FORGED)
def test_a_forgery_before_the_true_one_does_not_take_its_place(kind, change):
    hands = {P1: rewrite(kind, lambda message: (change(message), message))}
    talked = talk(parties(FED), hands=hands, sign=False)
    assert isinstance(talked.parties.analyst.refused[0], IdentityRefused)
    assert talked.parties.analyst.collected.uploads[P1] == sent(m.Upload)


@pytest.mark.parametrize("method", UPLOADING)
def test_every_method_s_uploads_and_counts_are_signed_for_their_session(method):
    fed = federation(method)
    for kind in (m.Upload, m.Evaluation):
        parcels = talk(parties(fed)).received(ANALYST, kind)
        assert [p.sender for p in parcels] == [P0, P1, P2]
        for parcel in parcels:
            key = fed.roster.keys[parcel.sender]
            verify_signed(decode_message(parcel.body), parcel.session, parcel.sender, key)


def test_a_signature_is_for_one_session_and_one_name():
    evaluation = m.Evaluation(np.array([0, 1]), np.eye(2, dtype=np.int64))
    message = signed(evaluation, SESSION, P1, KEY)
    verify_signed(message, SESSION, P1, KEY.public)
    for session, name in ((bytes(32), P1), (SESSION, P2)):
        with pytest.raises(IdentityRefused):
            verify_signed(message, session, name, KEY.public)


def test_signing_and_verifying_copy_nothing_of_an_upload():
    upload = m.Upload(np.ones((40_000, 50)), np.ones((51, 50)), np.zeros(40_000, np.int64))
    tracemalloc.start()
    try:
        made = signed(upload, SESSION, P1, KEY)
        verify_signed(made, SESSION, P1, KEY.public)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000  # of 16 million bytes
