"""A participant's upload: it goes on only when the analyst has kept exactly what it sent."""

import pytest
from testkit.faults import ends
from testkit.federation import P0, P2, federation, parties
from testkit.hostile import flipped
from testkit.network import by_analyst, rewrite, talk

from collude.common.errors import ProtocolViolation
from collude.common.ids import ANALYST
from collude.common.methods import METHODS
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message

FED = federation()


@pytest.mark.parametrize("digest", [bytes(32), None], ids=["zeros", "one bit"])
def test_a_receipt_for_other_bytes_ends_the_session(digest):
    def changed(receipt):
        return m.UploadReceipt(digest or flipped(receipt.upload_digest, 31))

    hands = by_analyst(rewrite(m.UploadReceipt, changed, to=P0))
    talked = ends(FED, hands, ProtocolViolation, ANALYST, by=P0)
    assert talked.errors[P0].field == "upload_digest"


def test_somebody_elses_receipt_ends_the_session():
    receipts = {}

    def changed(old, message):
        if isinstance(message, m.UploadReceipt):
            receipts[old.receiver] = message
            if old.receiver == P2:
                return rewrite(m.UploadReceipt, lambda _: receipts[P0])(old, message)
        return [old]

    ends(FED, by_analyst(changed), ProtocolViolation, ANALYST, by=P2)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_uploaded_is_what_the_method_says_and_nothing_else(method):
    fed = federation(method)
    talked = talk(parties(fed))
    uploads = [decode_message(p.body) for p in talked.received(ANALYST, m.Upload)]
    traits = METHODS[method]
    assert len(uploads) == (3 if traits.uploads else 0)
    for upload in uploads:
        assert upload.private.shape == (6, 8)
        assert (upload.anchor is not None) == traits.anchor
        assert upload.anchor is None or upload.anchor.shape == (9, 8)
        assert upload.labels.shape == (6,)
