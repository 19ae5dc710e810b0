"""Silos that count honestly and send what they should not."""

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, cast

import numpy as np

from collude.codef.ledger import SignedHead, aggregation_session, sign_entry
from collude.codef.ledger.heads import HEAD_TAG
from collude.codef.secagg.client.core import Core
from collude.codef.secagg.envelope import seal_shares
from collude.codef.secagg.messages import AdvertisedKeys, NamedShare, ShareKeys, Unmask
from collude.codef.secagg.shamir import SECRET_BYTES, split
from collude.common.ids import Role, Round
from collude.common.protocol.codef_messages import CommitEntry, LedgerHead
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.sealed import SessionKey
from collude.common.randomness import SEED_BYTES
from collude.participant.codef.session import SiloSession
from collude.runtime.deviators.base import Deviator, Session, message_of, saying


class DeviantSilo(Deviator):
    """A silo."""

    role: ClassVar[Role] = Role.PARTICIPANT

    @property
    def silo(self) -> SiloSession:
        """The honest session."""
        return cast("SiloSession", self.session)


class ShareShifter(DeviantSilo):
    """It adds one to a share of a silo's self mask when all unmask.

    Stopped: the coordinator puts the seed together, finds another than was advertised, and ends
    the period, AggregationAborted in `unmask`: it names the shifter where others' shares suffice
    without it, else whose seed it is. No wrong sum comes out.
    """

    def sends(self, outgoing: Outgoing) -> Iterable[Outgoing]:
        """Shift the first share."""
        if outgoing.round != Round.UNMASK:
            return [outgoing]
        message = message_of(outgoing)
        if not isinstance(message, Unmask):
            return [outgoing]
        first, *others = message.self_masks
        low = bytes([first.share[0] ^ 1]) + first.share[1:]
        shifted = replace(message, self_masks=(NamedShare(first.name, low), *others))
        return [saying(outgoing, shifted)]


class FalseDealer(DeviantSilo):
    """It seals shares for everybody that are not of the seeds it advertised.

    Stopped: when its seed is put together it is not the one advertised, and the period ends,
    AggregationAborted in `unmask`, naming it. Nobody can see it before; no wrong sum comes out.
    """

    def __init__(self, session: Session, rng: np.random.Generator) -> None:
        """Know nobody's keys."""
        super().__init__(session, rng)
        self._keys: dict[str, bytes] = {}

    def takes(self, parcel: Parcel) -> Parcel:
        """Note the others' keys."""
        if parcel.round == Round.ADVERTISE_KEYS:
            message = message_of(parcel)
            if isinstance(message, AdvertisedKeys):
                self._keys = {named.name: named.keys.envelope_key for named in message.silos}
        return parcel

    def sends(self, outgoing: Outgoing) -> Iterable[Outgoing]:
        """Seal other shares."""
        message = message_of(outgoing) if outgoing.round == Round.SHARE_KEYS else None
        book = self.silo.book
        if not isinstance(message, ShareKeys) or book is None:
            return [outgoing]
        session = aggregation_session(outgoing.session, book.ledger.head)
        terms = book.terms.aggregation(session)
        core = Core(terms, self.name, self.silo.core.signing_key, self.silo.core.entropy)
        key = SessionKey(core.fresh("envelope-key", SEED_BYTES))
        to = [envelope.recipient for envelope in message.envelopes]
        points = [terms.point(name) for name in to]
        false = split(self.rng.bytes(SECRET_BYTES), terms.threshold, points, self.rng.bytes(32))
        sealed = tuple(
            seal_shares(session, (self.name, name), (key, self._keys[name]), share + share)
            for name, share in zip(to, false, strict=True)
        )
        return [saying(outgoing, ShareKeys(sealed))]


class HeadEquivocator(DeviantSilo):
    """It signs a head of a ledger that nobody has.

    Stopped: everybody else leaves, LedgerForked, naming it, and keeps the signed head: with the
    others' heads it is a proof. The coordinator cannot have shown it that ledger: no such phase is
    signed by anybody.
    """

    def sends(self, outgoing: Outgoing) -> Iterable[Outgoing]:
        """Sign another hash."""
        message = message_of(outgoing) if outgoing.round == Round.CODEF_HEAD else None
        book = self.silo.book
        if not isinstance(message, LedgerHead) or book is None:
            return [outgoing]
        other = SignedHead(book.ledger.name, message.length, self.rng.bytes(32), self.name, b"")
        signature = self.silo.core.signing_key.sign(HEAD_TAG, *other.signed_items())
        return [saying(outgoing, LedgerHead(other.length, other.hash, signature))]


class DoubleCommitter(DeviantSilo):
    """It commits twice in one epoch, to different counts, both times well signed.

    Stopped: the coordinator refuses the second, ProtocolViolation, naming it, and the period goes
    on with the first, which is the one in everybody's ledger and the one whose counts it masked.
    """

    def sends(self, outgoing: Outgoing) -> Iterable[Outgoing]:
        """Commit once more."""
        message = message_of(outgoing) if outgoing.round == Round.CODEF_COMMIT else None
        if not isinstance(message, CommitEntry):
            return [outgoing]
        core = self.silo.core
        second = sign_entry(
            *(core.signing_key, outgoing.session, self.name),
            *(self.rng.bytes(32), message.releases),
        )
        entry = CommitEntry(second.commitment, second.releases, second.pedersen, second.signature)
        return [outgoing, saying(outgoing, entry)]
