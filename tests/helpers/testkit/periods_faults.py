"""Shorthand for planting one fault in a period and looking at how it ends."""

from testkit.network import Hand, rewrite
from testkit.periods import COORDINATOR, Shape, federation, meet

from collude.common.ids import Round
from collude.common.protocol.codec import decode_message

P0, P1, P2, P3 = (f"participant-{i}" for i in range(4))
SMALL = Shape(silos=4, persons=5, epochs=2)


def between(sends):
    """A wrapper for `meet`: somebody rewrites what this endpoint sends."""
    return lambda endpoint: Hand(endpoint, sends)


def silo_refuses(kind, change, error, party, field, *, shape=SMALL, when=lambda _: True):
    """P1 gets a message of class `kind` as `change` makes it: it ends with this error.

    Args:
        kind: of the coordinator's message.
        change: message -> message.
        error: its class.
        party: whom it names.
        field: what it names.
        shape: of the federation.
        when: whether this message is changed.
    """
    hand = rewrite(kind, lambda message: change(message) if when(message) else message, to=P1)
    fed = meet(federation(shape), hands={COORDINATOR: between(hand)})
    found = fed.silos[P1].error
    assert (type(found), found.party, found.field) == (error, party, field), repr(found)
    assert fed.silos[P1].round is Round.ABORTED
    for other in (P0, P2, P3):  # who got the honest messages goes on, or was told why not
        assert fed.silos[other].finished
    return fed


def coordinator_refuses(kind, change, error, field, *, shape=SMALL, when=lambda _: True):
    """P1's message of class `kind` is refused as `change` makes it; the others go on without P1."""
    hand = rewrite(kind, lambda message: change(message) if when(message) else message)
    fed = meet(federation(shape), hands={P1: between(hand)})
    refused = [e for e in fed.coordinator.refused if e.party == P1]
    assert refused
    assert (type(refused[0]), refused[0].field) == (error, field), repr(refused[0])
    return fed


def first(sent, kind):
    return next(m for m in (decode_message(p.body) for p in sent) if isinstance(m, kind))
