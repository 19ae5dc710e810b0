"""Round 0, coordinator's side: collect the silos' public keys and show all to all.

It checks what the silos check, so that one silo's bad keys cost that silo its place and not
everybody the session. The silos do not rely on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.codef.secagg import messages as m
from collude.codef.secagg.aborts import too_few
from collude.codef.secagg.advertised import check_distinct, check_keys
from collude.codef.secagg.keys import advertised_hash
from collude.codef.secagg.server.core import Step
from collude.codef.secagg.stages import Stage
from collude.codef.secagg.terms import Terms

STAGE = Stage.ADVERTISE_KEYS


@dataclass(frozen=True, slots=True)
class Advertised:
    """Known after the keys: U0 with its keys, and their hash."""

    keys: dict[str, m.AdvertiseKeys]
    hash: bytes


class AdvertiseKeysState:
    """Waiting for every silo's keys."""

    def __init__(self, terms: Terms) -> None:
        """Know nobody."""
        self._terms = terms
        self._keys: dict[str, m.AdvertiseKeys] = {}
        self.expected = terms.silos

    def take(self, sender: str, message: m.AdvertiseKeys) -> None:
        """Check the keys, and that none of them is another silo's.

        Raises:
            AggregationAborted: they are not in order; only this message is refused.
        """
        check_keys(self._terms, sender, message)
        check_distinct({**self._keys, sender: message})
        self._keys[sender] = message

    def close(self, came: Sequence[str]) -> Step:
        """Show all keys to all.

        Raises:
            AggregationAborted: too few silos came.
        """
        if len(came) < self._terms.threshold:
            too_few(STAGE, came, self._terms.threshold)
        silos = tuple(m.NamedKeys(name, self._keys[name]) for name in came)
        known = Advertised(
            {name: self._keys[name] for name in came},
            advertised_hash(self._terms.session, silos),
        )
        return Step(known, dict.fromkeys(came, m.AdvertisedKeys(silos)))
