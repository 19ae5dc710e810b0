"""Runs that go wrong give no more away than runs that go well.

Everything that anybody received, in sessions that were attacked, restarted or aborted, is
searched for seeds, shares, keys and the anchor. (Runs that go well: the canary tests.)
"""

import pytest
from testkit.canary import Searcher, array_needles, byte_needles
from testkit.federation import D, core, federation, parties
from testkit.hostile import Insider, flipped
from testkit.network import by_analyst, rewrite, talk

from collude.common.geometry.expansion import expand_anchor
from collude.common.ids import ANALYST
from collude.common.protocol import messages as m
from collude.common.protocol.anchor import joint_seed
from collude.common.protocol.codec import decode_message, encode_message

P1, P3 = "participant-1", "participant-3"
FED = federation(p=4)
NAMES = FED.scenario.participants
INSIDER = Insider(FED, P3)


def silent(kind):
    return {P3: rewrite(kind, lambda _: None)}


def bad_reveal(session, message):
    wrong = tuple(INSIDER.envelope(session, e.recipient, bytes(64)) for e in message.envelopes)
    return m.AnchorReveal(wrong)


def altered_share(message):
    changed = [
        type(e)(e.sender, e.recipient, e.counter, e.ephemeral_key, flipped(e.ciphertext))
        for e in message.envelopes
    ]
    return m.AnchorReveals(tuple(changed))


def bad_upload(upload):
    return m.Upload(upload.private[:0], upload.anchor, upload.labels)


RUNS = {
    "silent in the commitments": silent(m.AnchorCommit),
    "silent in the reveals": silent(m.AnchorReveal),
    "silent in the confirmations": silent(m.AnchorConfirm),
    "a reveal that does not match": {P3: INSIDER.sends(m.AnchorReveal, bad_reveal)},
    "altered envelopes": by_analyst(rewrite(m.AnchorReveals, altered_share, to=P1)),
    "a refused upload": {P3: rewrite(m.Upload, bad_upload)},
    "a receipt for other bytes": by_analyst(
        rewrite(m.UploadReceipt, lambda _: m.UploadReceipt(bytes(32)), to=P1)
    ),
    "a model that is none": by_analyst(
        rewrite(m.Delivery, lambda d: m.Delivery("{", d.arrays, d.alignment), to=P1)
    ),
    "nothing": {},
}


def secrets_of(talked):
    """What every participant drew in every attempt, and what was made of it."""
    found = {}
    for attempt in range(3):
        for name in NAMES:
            known = core(FED, name)
            for purpose in ("session-key", "anchor-share", "anchor-nonce"):
                secret = known.entropy.secret(purpose, attempt)
                found[f"{name}/{purpose}/{attempt}"] = byte_needles(secret)
    joined = {p.session for p in talked.received(ANALYST) if p.session}
    for session in joined:
        shares = {name: core(FED, name).fresh("anchor-share") for name in NAMES}
        found["first seed"] = byte_needles(joint_seed(session, shares))
    for name, silo in talked.parties.silos.items():
        if silo.seed is not None:
            found["seed"] = byte_needles(silo.seed)
            found["A"] = array_needles(expand_anchor(silo.seed, D + 1, D))
            found[f"{name}/O"] = array_needles(silo.disclosure(["transform"]).rotation)
        found[f"{name}/X"] = array_needles(FED.shares[name].records)
    return found


@pytest.mark.parametrize("hands", RUNS.values(), ids=RUNS)
def test_nothing_secret_reaches_anybody(hands):
    talked = talk(parties(FED), hands=hands)
    searcher = Searcher(secrets_of(talked))
    for name in (ANALYST, *NAMES):
        for parcel in talked.received(name):
            assert searcher.inside(parcel.body) == set(), (name, parcel)
    for session in talked.parties.sessions:
        texts = [repr(session), str(session.error), *map(str, session.refused)]
        assert searcher.inside("\n".join(texts).encode()) == set()


def test_the_search_would_find_a_leak_in_a_message():
    talked = talk(parties(FED))
    searcher, silo = Searcher(secrets_of(talked)), talked.parties.silos[P1]
    leaks = [
        m.Upload(FED.shares[P1].records, None, FED.shares[P1].labels),
        m.UploadReceipt(silo.seed),
        m.Abort("", silo.seed.hex(), "", "", "", "", ""),
        silo.disclosure(["anchor"]),
        silo.disclosure(["transform"]),
    ]
    for leak in leaks:
        assert searcher.inside(encode_message(leak)), type(leak)
        assert decode_message(encode_message(leak)) == leak
