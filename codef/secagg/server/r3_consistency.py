"""Round 3, coordinator's side: collect the signed views, and ask for the shares."""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.codef.secagg import messages as m
from collude.codef.secagg.aborts import check_signed, too_few
from collude.codef.secagg.keys import CONSISTENCY_TAG
from collude.codef.secagg.server.core import Step, refuse_message
from collude.codef.secagg.server.r2_masked_input import Received
from collude.codef.secagg.stages import Stage
from collude.codef.secagg.terms import Terms

STAGE = Stage.CONSISTENCY


@dataclass(frozen=True, slots=True)
class Requested:
    """Known after the views: whom shares were asked of (U3)."""

    received: Received
    silos: tuple[str, ...]


class ConsistencyState:
    """Waiting for every silo's signed view."""

    def __init__(self, terms: Terms, received: Received) -> None:
        """Keep what is known."""
        self._terms, self._known = terms, received
        self._views: dict[str, m.Consistency] = {}
        self.expected = received.alive

    def take(self, sender: str, message: m.Consistency) -> None:
        """Check that the silo signed what it was shown.

        Raises:
            ProtocolViolation: it signed something else.
            AggregationAborted: the signature is not its own; only this message is refused.
        """
        if message.view != self._known.view:
            said = {"expected": self._known.view.hex(), "got": message.view.hex()}
            refuse_message(STAGE, sender, "signs other lists or keys", what="view", **said)
        key, items = self._terms.roster.keys[sender], (self._terms.session, sender, message.view)
        check_signed(STAGE, key, message.signature, CONSISTENCY_TAG, items, sender)
        self._views[sender] = message

    def close(self, came: Sequence[str]) -> Step:
        """Ask those who signed for their shares.

        Raises:
            AggregationAborted: too few silos came.
        """
        if len(came) < self._terms.threshold:
            too_few(STAGE, came, self._terms.threshold)
        views = tuple(m.NamedView(name, self._views[name]) for name in came)
        request = m.UnmaskRequest(self._known.alive, self._known.dead, views)
        return Step(Requested(self._known, tuple(came)), dict.fromkeys(came, request))
