"""A coordinator with silos on its side: it holds while 2t > K + K_C, and not beyond.

The coordinator tells half of the honest silos that the victim is dead. A colluding silo signs both
lists, and gives shares of both secrets. With t shares of each, its masked counts are unmasked.
"""

import numpy as np
import pytest
from testkit.periods import COORDINATOR, Shape, federation, meet

from collude.codef.ledger import aggregation_session
from collude.codef.secagg.keys import CONSISTENCY_TAG, advertised_hash, view_hash
from collude.common.errors import AggregationAborted
from collude.common.ids import Round
from collude.common.protocol.secagg_messages import AdvertisedKeys, Consistency
from collude.runtime.deviators.base import message_of
from collude.runtime.deviators.two_faced import AliveLiar

VICTIM = "participant-0"


class Conspiring(AliveLiar):
    """It lies about one silo, to those told, and has some silos sign what it likes."""

    def __init__(self, session, told, colluders):
        super().__init__(session, np.random.default_rng(0))
        self._fooled, self._colluders, self._keys = told, colluders, ()
        self._session = b""

    def sends(self, outgoing):
        if outgoing.round == Round.ADVERTISE_KEYS:
            message = message_of(outgoing)
            if isinstance(message, AdvertisedKeys):
                self._keys, self._session = message.silos, outgoing.session
        return super().sends(outgoing)

    def _lists(self, outgoing, message):
        if self._alive != message.silos:
            self._alive, self._victim, self._told = message.silos, VICTIM, self._fooled
        return super()._lists(outgoing, message)

    def _asked(self, outgoing):
        if self._told:
            book = self.coordinator.books[-1]
            session = aggregation_session(self._session, book.ledger.head)
            alive = tuple(name for name in self._alive if name != VICTIM)
            shown = advertised_hash(session, self._keys)
            view = view_hash(session, shown, self._shared, alive)
            for silo in self._colluders:
                signature = silo.core.signing_key.sign(CONSISTENCY_TAG, session, silo.name, view)
                self._views[silo.name] = Consistency(view, signature)
            members = sorted({*self._told, *(silo.name for silo in self._colluders)})
            honest, self._told = self._told, tuple(members)
            asked = super()._asked(outgoing)
            return [each for each in asked if each.receiver in honest]
        return []


def conspired(silos, threshold, colluders):
    """Shares of each of the victim's secrets that the coordinator has, colluders' included."""
    names = [f"participant-{i}" for i in range(silos)]
    mates = names[silos - colluders :]
    honest = [name for name in names if name not in {VICTIM, *mates}]
    told = tuple(honest[: (len(honest) + 1) // 2])
    shape = Shape(silos=silos, persons=4, epochs=1, threshold=threshold)
    fed = federation(shape)
    sides = [fed.silos[name] for name in mates]
    meet(fed, hands={COORDINATOR: lambda session: Conspiring(session, told, sides)})
    openers = {"self_masks": set(mates), "mask_keys": set(mates)}
    for (_, name, which), found in fed.opened.items():
        if name == VICTIM:
            openers[which] |= found
    return fed, {which: len(found) for which, found in openers.items()}


@pytest.mark.parametrize(
    ("silos", "threshold", "colluders"), [(5, 4, 0), (5, 4, 1), (5, 4, 2), (8, 6, 2), (7, 5, 2)]
)
def test_while_two_t_is_more_than_all_silos_and_colluders_one_secret_stays_shut(
    silos, threshold, colluders
):
    assert 2 * threshold > silos + colluders
    fed, shares = conspired(silos, threshold, colluders)
    assert min(shares.values()) < threshold
    honest = [name for name in fed.silos if int(name[-1]) < silos - colluders]
    stopped = [fed.errors[name] for name in honest if fed.errors[name] is not None]
    assert stopped
    assert all(type(error) is AggregationAborted for error in stopped)


@pytest.mark.parametrize(("silos", "threshold", "colluders"), [(5, 3, 1), (8, 5, 2)])
def test_known_limit_at_two_t_equal_to_all_silos_and_colluders_both_are_opened(
    silos, threshold, colluders
):
    """A bare majority is enough against a coordinator alone, and not against one with friends."""
    assert 2 * threshold == silos + colluders
    _, shares = conspired(silos, threshold, colluders)
    assert min(shares.values()) >= threshold
