"""The handle key, silo's side: a key that all silos share and nobody else learns.

Shares travel sealed, and must be those that their silos committed to when they joined: so who
reveals last cannot choose the key. Then all sign which key they hold, and go on only if it is one.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, cast

from collude.codef.period.join import (
    CONFIRM_TAG,
    check_confirm,
    confirm_items,
    handle_key,
    key_hash,
    share_commitment,
)
from collude.common.errors import AnchorAborted, PeriodAborted
from collude.common.ids import COORDINATOR, Round
from collude.common.protocol import codef_messages as m
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.messages import SealedShare
from collude.common.protocol.sealed import Route, open_sealed, seal
from collude.common.randomness import SEED_BYTES
from collude.participant.codef.book import SiloBook
from collude.participant.codef.c5_adapt import LeaseState
from collude.participant.codef.state import State

if TYPE_CHECKING:
    from collude.participant.codef.c0_join import Joined


def _abort(party: str, field: str, reason: str, expected: object, got: object) -> NoReturn:
    raise PeriodAborted(reason, party=party, field=field, expected=expected, got=got)


class KeyState:
    """Waiting for the envelopes addressed to me."""

    round = Round.CODEF_KEY

    def __init__(self, joined: "Joined") -> None:
        """Keep what is known."""
        self._known = joined
        self.session = joined.session

    def opening(self) -> Sequence[AnyMessage]:
        """Send my share, sealed for each other silo that joined."""
        name = self._known.core.name
        return [m.KeyReveal(tuple(self._sealed(p) for p in self._known.silos if p != name))]

    def _route(self, sender: str, recipient: str) -> Route:
        return Route(self.session, self._known.terms.roster.hash, sender, recipient, counter=0)

    def _sealed(self, peer: str) -> SealedShare:
        known = self._known
        ephemeral = known.core.fresh(f"key-ephemeral/{peer}", known.terms)
        route = self._route(known.core.name, peer)
        try:
            return seal(known.share + known.nonce, route, known.session_keys[peer], ephemeral)
        except AnchorAborted as error:
            raise PeriodAborted(error.reason, party=peer, field="codef_key/session_key") from error

    def receive(self, message: AnyMessage) -> State:
        """Open the envelopes, check each against its commitment, and make the key.

        Raises:
            PeriodAborted: too few came, or one does not open or does not match.
        """
        envelopes, known = cast(m.KeyReveals, message).envelopes, self._known
        senders = [e.sender for e in envelopes]
        others = [silo for silo in known.silos if silo != known.core.name]
        if senders != [s for s in others if s in senders] or len(senders) + 1 < known.terms.least:
            wanted = f"one each of {known.terms.least - 1} or more of {', '.join(others)}"
            got = ", ".join(senders) or "none"
            _abort(COORDINATOR, "codef_key/envelopes", "envelopes are missing", wanted, got)
        shares = {e.sender: self._opened(e) for e in envelopes} | {known.core.name: known.share}
        return ConfirmState(known, tuple(sorted(shares)), handle_key(self.session, shares))

    def _opened(self, sealed: SealedShare) -> bytes:
        known, sender = self._known, sealed.sender
        try:
            payload = open_sealed(sealed, self._route(sender, known.core.name), known.session_key)
        except AnchorAborted as error:
            raise PeriodAborted(
                error.reason,
                party=sender,
                field="codef_key/envelopes",
                expected="an envelope from it to me, in this period",
            ) from error
        share, nonce = payload[:SEED_BYTES], payload[SEED_BYTES:]
        made = share_commitment(known.terms, sender, nonce, share)
        if len(payload) != 2 * SEED_BYTES or made != known.commitments[sender]:
            reason = "a revealed share does not match its commitment"
            said = known.commitments[sender].hex(), made.hex()
            _abort(sender, "codef_key/commitment", reason, *said)
        return share


class ConfirmState:
    """Waiting for everybody's confirmation."""

    round = Round.CODEF_CONFIRM

    def __init__(self, joined: "Joined", contributors: tuple[str, ...], key: bytes) -> None:
        """Sign what I hold, as a hash."""
        self._known, self._key = joined, key
        self.session = joined.session
        core, hash_ = joined.core, key_hash(self.session, key)
        items = confirm_items(self.session, core.name, contributors, hash_)
        signature = core.signing_key.sign(CONFIRM_TAG, *items)
        self._confirm = m.KeyConfirm(contributors, hash_, signature)

    def opening(self) -> Sequence[AnyMessage]:
        """Send the confirmation."""
        return [self._confirm]

    def receive(self, message: AnyMessage) -> State:
        """Check that enough silos hold the same key, made of the same shares.

        Raises:
            PeriodAborted: too few confirm, or one holds another key.
            IdentityRefused: a confirmation is not signed by its silo.
        """
        confirms, known = cast(m.KeyConfirms, message).confirms, self._known
        names = [c.name for c in confirms]
        among = [c for c in self._confirm.contributors if c in names]
        mine = [c.confirm for c in confirms if c.name == known.core.name]
        if names != among or len(names) < known.terms.least or mine != [self._confirm]:
            expected = f"{known.terms.least} or more, mine unaltered among them"
            got = ", ".join(names) or "none"
            reason = "the confirmations are not those of enough silos"
            _abort(COORDINATOR, "codef_confirm/confirms", reason, expected, got)
        for named in confirms:
            self._check(named)
        # Not those whose confirmations I was shown: nobody signed that I was shown all of them.
        made = self._confirm.contributors
        book = SiloBook(known.core, known.terms, self.session, made, self._key)
        return LeaseState(book)

    def _check(self, named: m.NamedKeyConfirm) -> None:
        check_confirm(self._known.terms, self.session, named.name, named.confirm)
        mine, theirs = self._confirm, named.confirm
        if (mine.contributors, mine.key_hash) != (theirs.contributors, theirs.key_hash):
            reason = "holds another handle key: somebody was shown other shares"
            said = mine.key_hash.hex(), theirs.key_hash.hex()
            _abort(named.name, "codef_confirm/key_hash", reason, *said)
