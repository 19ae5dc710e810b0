"""Round 3, silo's side: sign what I was shown, and go on only if all who signed saw the same.

Without it a coordinator tells some silos that one is alive and others that it is dead, and gets
shares of both its secrets.
"""

from collections.abc import Sequence
from functools import lru_cache

from collude.codef.secagg import messages as m
from collude.codef.secagg.aborts import abort, check_list, check_signed
from collude.codef.secagg.client.core import Core
from collude.codef.secagg.client.r2_masked_input import Received
from collude.codef.secagg.keys import CONSISTENCY_TAG
from collude.codef.secagg.stages import Stage
from collude.codef.secagg.terms import Terms

STAGE = Stage.CONSISTENCY
_KEPT = 4


class ConsistencyState:
    """Waiting for everybody's signature, and for the request to unmask."""

    def __init__(self, core: Core, received: Received) -> None:
        """Sign what I was shown."""
        self._core, self._known = core, received
        items = (core.terms.session, core.name, received.view)
        self._mine = m.Consistency(received.view, core.signing_key.sign(CONSISTENCY_TAG, *items))

    def opening(self) -> m.Consistency:
        """Send the signature."""
        return self._mine

    def receive(self, message: m.UnmaskRequest) -> Received:
        """Check that the request is for what was signed, and that enough silos signed it.

        Raises:
            AggregationAborted: the lists overlap or are not those signed, or a signature is missing
                or of something else.
        """
        self._check_lists(message.alive, message.dead)
        names = [named.name for named in message.views]
        check_list(STAGE, "views", names, self._known.alive, self._core.terms.threshold)
        _check_views(self._core.terms, self._known.view, message.views)
        return self._known

    def _check_lists(self, alive: Sequence[str], dead: Sequence[str]) -> None:
        gone = set(dead)
        both = [name for name in alive if name in gone]
        if both:
            abort(STAGE, "asks for both secrets of one silo", what="alive", got=", ".join(both))
        for what, expected, got in (
            ("alive", self._known.alive, alive),
            ("dead", self._known.dead, dead),
        ):
            if tuple(got) != expected:
                reason = f"the {what} silos are not those that were signed"
                said = {"expected": ", ".join(expected), "got": ", ".join(got) or "none"}
                abort(STAGE, reason, what=what, **said)


@lru_cache(maxsize=_KEPT)
def _check_views(terms: Terms, view: bytes, views: tuple[m.NamedView, ...]) -> None:
    """Return if all signed this view; what silos in one process are shown is checked once.

    Raises:
        AggregationAborted: one signed another view, or did not sign; it is not remembered.
    """
    for named in views:
        shown = named.consistency
        if shown.view != view:
            said = {"expected": view.hex(), "got": shown.view.hex()}
            abort(STAGE, "was shown other lists or keys", party=named.name, what="view", **said)
        key, items = terms.roster.keys[named.name], (terms.session, named.name, view)
        check_signed(STAGE, key, shown.signature, CONSISTENCY_TAG, items, named.name)
