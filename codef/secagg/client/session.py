"""A silo's side of one session, from its keys to its shares."""

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from collude.codef.numeric.checks import refuse
from collude.codef.secagg import messages as m
from collude.codef.secagg.client.core import Core
from collude.codef.secagg.client.r0_advertise_keys import AdvertiseKeysState
from collude.codef.secagg.client.r1_share_keys import ShareKeysState
from collude.codef.secagg.client.r2_masked_input import MaskedInputState
from collude.codef.secagg.client.r3_consistency import ConsistencyState
from collude.codef.secagg.client.r4_unmask import unmask
from collude.codef.secagg.counts import checked_counts
from collude.codef.secagg.stages import CLIENT, Stage, following
from collude.codef.secagg.terms import Terms
from collude.common.errors import AggregationAborted, ProtocolViolation
from collude.common.ids import COORDINATOR
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy
from collude.common.secret import Secret

_ENTER: Mapping[Stage, Callable[[Core, Any], Any]] = {
    Stage.SHARE_KEYS: ShareKeysState,
    Stage.MASKED_INPUT: MaskedInputState,
    Stage.CONSISTENCY: ConsistencyState,
}


class Client(Secret):
    """One silo in one session: messages in, messages out. Its secrets live and die with it.

    A silo that lost its `Client` has left the session, and counts as dropped: made again with
    the same entropy under the same session it would mask other counts with the same masks.
    """

    def __init__(
        self,
        terms: Terms,
        name: str,
        counts: ArrayLike,
        signing_key: SigningKey,
        entropy: Entropy,
    ) -> None:
        """Check the counts and draw the keys.

        Args:
            terms: of the session.
            name: of this silo.
            counts: shape (terms.length,), whole numbers from 0 to terms.cap.
            signing_key: of this silo, as the roster pins it.
            entropy: of this silo.

        Raises:
            ParameterInvalid: the counts, the name or the key do not fit the terms.
        """
        if name not in terms.index:
            refuse("name", "one of the roster's silos", name)
        if terms.roster.keys[name] != signing_key.public:
            refuse("signing_key", "the key pinned in the roster", signing_key.public.hex())
        self.name = name
        self.stage = Stage.ADVERTISE_KEYS
        self._core = Core(terms, name, signing_key, entropy)
        checked = checked_counts(counts, terms.length, terms.cap)
        self._state: Any = AdvertiseKeysState(self._core, checked)

    def start(self) -> m.AdvertiseKeys:
        """Return the first message: the public keys.

        Raises:
            ProtocolViolation: the session has gone on since.
        """
        if self.stage is not Stage.ADVERTISE_KEYS:
            raise ProtocolViolation(
                "a session is started once", party=self.name, field="stage", got=self.stage
            )
        opening: m.AdvertiseKeys = self._state.opening()
        return opening

    def receive(self, message: m.ToClient) -> m.ToServer:
        """Take the coordinator's message; return mine of the next stage.

        Raises:
            ProtocolViolation: it does not belong in this stage; nothing changed.
            AggregationAborted: it is not what it must be; the session is over, the secrets gone.
        """
        after = following(CLIENT, self.stage, message, COORDINATOR)
        try:
            return self._enter(after, self._state.receive(message))
        except AggregationAborted:
            self._leave(Stage.ABORTED)
            raise

    def _enter(self, after: Stage, facts: Any) -> m.ToServer:
        if after is Stage.DONE:
            self._leave(after)
            return unmask(facts)
        self._state = _ENTER[after](self._core, facts)
        self.stage = after
        opening: m.ToServer = self._state.opening()
        return opening

    def give_up(self) -> None:
        """Leave the session, for a reason from outside; the secrets are gone."""
        if self.stage is not Stage.DONE:
            self._leave(Stage.ABORTED)

    def _leave(self, stage: Stage) -> None:
        self.stage, self._state = stage, None
