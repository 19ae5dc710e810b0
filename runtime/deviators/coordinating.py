"""A coordinator that sums honestly and tells silos what it should not."""

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, cast

import numpy as np

from collude.codef.coordinator.session import CoordinatorSession
from collude.codef.period.leases import Lease, most_leases
from collude.codef.policy import Spending
from collude.common.ids import Role, Round
from collude.common.protocol.codec import encode_message
from collude.common.protocol.codef_messages import Adapt, KeyConfirms
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.secagg_messages import MaskedInput, UnmaskRequest
from collude.runtime.deviators.base import Deviator, Session, message_of, saying


class DeviantCoordinator(Deviator):
    """A coordinator."""

    role: ClassVar[Role] = Role.COORDINATOR

    @property
    def coordinator(self) -> CoordinatorSession:
        """The honest session."""
        return cast("CoordinatorSession", self.session)


class BothShares(DeviantCoordinator):
    """It asks for the self mask and the mask key of one silo: with both it has that silo's counts.

    Stopped: every silo leaves, AggregationAborted in `consistency`, naming the coordinator, and
    sends no share.
    """

    def sends(self, outgoing: Outgoing) -> Iterable[Outgoing]:
        """Call one of the living dead as well."""
        message = message_of(outgoing) if outgoing.round == Round.CONSISTENCY else None
        if not isinstance(message, UnmaskRequest):
            return [outgoing]
        victim = message.alive[0]
        dead = tuple(sorted({*message.dead, victim}))
        return [saying(outgoing, replace(message, dead=dead))]


class SiloDropper(DeviantCoordinator):
    """It tells all that one silo's masked counts did not come, keeps them, and charges nothing.

    To the others this is a silo that was late. What it kept stays masked: the silo's own mask is
    opened by nobody, for nobody is asked for it. Not stopped: that it charges nothing, for a sum
    is the coordinator's word. Damage: what the silo has answered until then. The silo is in no
    sum, so it takes no lease (PeriodAborted, if it is given one) until it is counted again, with
    all that it answered; so the damage does not grow.
    """

    def __init__(self, session: Session, rng: np.random.Generator) -> None:
        """Have nobody in mind."""
        super().__init__(session, rng)
        self._victim = ""

    def takes(self, parcel: Parcel) -> Parcel | None:
        """Keep the masked counts of one silo to itself."""
        if parcel.round != Round.MASKED_INPUT:
            return parcel
        book = self.coordinator.books[-1]
        self._victim = self._victim or self.chosen(book.silos)
        if not isinstance(book.spending, _Forgiving):
            book.spending = _Forgiving(book.spending, self._victim)
        return None if parcel.sender == self._victim else parcel


class _Forgiving(Spending):
    """Charges one silo nothing, whether it was counted or not."""

    def __init__(self, honest: Spending, silo: str) -> None:
        self.__dict__.update(honest.__dict__)
        self._silo = silo

    def spent(self, total: "np.ndarray", counted: Iterable[str]) -> "np.ndarray":
        return super().spent(total, {*counted, self._silo})


class SumSpoiler(DeviantCoordinator):
    """It says that a silo's masked counts came, and leaves them out of the sum.

    Stopped, if it looks: the masks that the silo shares with the others stay in the sum, which is
    then as good as random, and is beyond what silos may count but with probability (K c_max/2^w)^n:
    AggregationAborted in `unmask`. It learns nothing. To grant leases by such a sum is to grant
    false ones.
    """

    def __init__(self, session: Session, rng: np.random.Generator) -> None:
        """Have nobody in mind."""
        super().__init__(session, rng)
        self._victim = ""

    def takes(self, parcel: Parcel) -> Parcel:
        """Put zeros in place of one silo's masked counts."""
        message = message_of(parcel) if parcel.round == Round.MASKED_INPUT else None
        self._victim = self._victim or parcel.sender
        if not isinstance(message, MaskedInput) or parcel.sender != self._victim:
            return parcel
        return replace(parcel, body=encode_message(MaskedInput(bytes(len(message.words)))))


class FalseLease(DeviantCoordinator):
    """It grants everybody the largest lease from the first epoch on.

    Stopped: nothing was spent yet, so every silo computes that lease itself, and leaves before it
    answers anything: PeriodAborted, naming the coordinator. Where the policy's own first lease is
    the largest there is, nothing is false about it, and the rest is `late-false-lease`.
    """

    first: ClassVar[int] = 0

    def sends(self, outgoing: Outgoing) -> Iterable[Outgoing]:
        """Raise the lease of who is in the sum."""
        message = message_of(outgoing) if outgoing.round == Round.CODEF_ADAPT else None
        if not isinstance(message, Adapt) or message.epoch < self.first:
            return [outgoing]
        if message.last and not self.coordinator.terms.uploads:
            return [outgoing]
        if outgoing.receiver not in message.counted:
            return [outgoing]
        levels, slots = self.lease(message, outgoing.receiver)
        return [saying(outgoing, replace(message, levels=levels, slots=slots))]

    def lease(self, message: Adapt, _silo: str) -> Lease:
        """Return what a silo is told that it may answer, (n,) levels and slots."""
        slots = np.full_like(message.slots, self.coordinator.books[-1].terms.slots)
        return np.zeros_like(slots), slots


class LateFalseLease(FalseLease):
    """It grants from the second epoch on what it would grant if nothing had been spent.

    Not stopped: only who knows the sum can tell. More than that is refused, for every silo computes
    it (PeriodAborted). Damage: the budget is not kept over epochs, whatever the policy. What bounds
    it is each silo alone, no more than c_max about a person in a period, and the budget in each
    epoch: under `success` at most min(K c_max, E budget) answers about a person. One lease alone,
    as that of an upload, stays within the budget whatever it does. Who trusts the coordinator to
    count must trust it to grant.
    """

    first: ClassVar[int] = 1

    def lease(self, message: Adapt, silo: str) -> Lease:
        """Return the most that the silo takes."""
        book = self.coordinator.books[-1]
        return most_leases(book.terms, book.session, message.counted, message.epoch)[silo]


class ConfirmForker(DeviantCoordinator):
    """It shows each silo that only the fewest possible others confirmed the key.

    If leases were made for those, each silo would get more than its part. Stopped without a word:
    the first leases are made for all that made the key, whose names all have signed, and whatever
    subset a silo is shown, it takes the same lease.
    """

    def sends(self, outgoing: Outgoing) -> Iterable[Outgoing]:
        """Leave out as many as one can."""
        message = message_of(outgoing) if outgoing.round == Round.CODEF_CONFIRM else None
        if not isinstance(message, KeyConfirms):
            return [outgoing]
        me, least = outgoing.receiver, self.coordinator.terms.least
        others = [named for named in message.confirms if named.name != me]
        picked = self.rng.permutation(len(others))[: least - 1]
        shown = {me, *(others[at].name for at in picked)}
        kept = tuple(named for named in message.confirms if named.name in shown)
        return [saying(outgoing, KeyConfirms(kept))]
