"""A ledger of three silos, its phases and heads."""

import numpy as np

from collude.codef.ledger import Ledger, Opening, commit, sign_entry, sign_head
from collude.common.ids import COORDINATOR, participant_name
from collude.common.protocol.signing import SigningKey
from collude.common.roster import Roster

SILOS = tuple(participant_name(i) for i in range(3))
NAMES = (COORDINATOR, *SILOS)
KEYS = {name: SigningKey.from_bytes(bytes([i + 1] * 32)) for i, name in enumerate(NAMES)}
ROSTER = Roster.of({name: key.public for name, key in KEYS.items()})
TERMS = bytes(range(32))
ROOT = bytes([7] * 32)


def opening(ledger, silo, epoch=0, counts=(1, 2, 3), terms=TERMS):
    nonce = bytes([epoch, NAMES.index(silo)] * 16)
    session = ledger.session(epoch, terms)
    return Opening(session, silo, nonce, np.array(counts, dtype=np.uint64))


def entry(ledger, silo, epoch=0, **others):
    made = opening(ledger, silo, epoch, **others)
    commitment = commit(made.session, silo, made.nonce, made.counts)
    return sign_entry(KEYS[silo], made.session, silo, commitment, ROOT)


def entries(ledger, epoch=0, silos=SILOS, **others):
    return [entry(ledger, silo, epoch, **others) for silo in silos]


def filled(epochs=2):
    ledger = Ledger(ROSTER)
    for epoch in range(epochs):
        ledger.close(epoch, TERMS, entries(ledger, epoch))
    return ledger


def heads(ledger, names=NAMES):
    return [sign_head(ledger, name, KEYS[name]) for name in names]
