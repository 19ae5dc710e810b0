"""A silo that harms some silos and not the others: whom they name, and what is left."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.periods import Answering, Shape, federation, meet, some
from testkit.periods_faults import P0, P1, P2, between
from testkit.periods_schedules import budget_of

from collude.common.protocol import codef_messages as m
from collude.common.protocol import secagg_messages as s
from collude.common.protocol.codec import encode_message

SHAPE = Shape(silos=6, persons=4, epochs=2, threshold=4, attributes=4, policy="success",
              numbers={"max_success": 0.9})  # fmt: skip


def junk_for(kind, victims):
    """Envelopes of this kind that do not open, for the victims alone."""

    def sends(old, message):
        if not isinstance(message, kind):
            return [old]
        envelopes = tuple(
            replace(e, ciphertext=bytes(len(e.ciphertext))) if e.recipient in victims else e
            for e in message.envelopes
        )
        return [replace(old, body=encode_message(replace(message, envelopes=envelopes)))]

    return between(sends)


@pytest.mark.parametrize("kind", [m.KeyReveal, s.ShareKeys])
def test_known_limit_envelopes_that_do_not_open_drive_out_whom_they_are_for(kind):
    """Down to the threshold. Both victims name it, and so does the coordinator's record."""
    holdings = {f"participant-{i}": Answering(some(np.random.default_rng(i))) for i in range(6)}
    fed = meet(federation(SHAPE, holdings), hands={P0: junk_for(kind, {P1, P2})})
    assert fed.coordinator.error is None
    for name, error in fed.errors.items():
        assert (error is not None) == (name in {P1, P2})
        assert error is None or error.party == P0
    assert fed.coordinator.books[0].facts[-1].missing == (P1, P2)
    assert {why.party for why in fed.coordinator.left.values()} == {P0}
    true = sum(held.counts[0] for held in holdings.values() if held.counts)
    assert true.max() <= budget_of(fed.terms[0].policy)
