"""A coordinator that tells some silos one thing and others another, or what was said before."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from collude.codef.ledger import Entry, Ledger, Phase, sign_head
from collude.common.ids import COORDINATOR, Round
from collude.common.protocol.codef_messages import (
    CommittedPhase,
    LedgerHead,
    LedgerHeads,
    NamedHead,
)
from collude.common.protocol.codef_rounds import COORDINATOR_SENDS
from collude.common.protocol.messages import Abort
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.secagg_messages import (
    Consistency,
    InputsReceived,
    NamedView,
    SharedKeys,
    UnmaskRequest,
)
from collude.runtime.deviators.base import Session, message_of, saying
from collude.runtime.deviators.coordinating import DeviantCoordinator


class AliveLiar(DeviantCoordinator):
    """It tells some silos that one is dead whose masked counts it has, and the others the truth.

    If each half did as asked, it would get shares of both secrets of that silo. Stopped: a silo
    opens nothing before it has seen t signatures under the very lists that it was shown, and with
    2t > K two lists cannot both have them. Who is in the smaller half leaves, AggregationAborted
    in `consistency`, naming the coordinator; the larger half, if it has t, opens one sum, over t
    silos or more.
    """

    def __init__(self, session: Session, rng: np.random.Generator) -> None:
        """Have nobody in mind."""
        super().__init__(session, rng)
        self._victim = ""
        self._told: tuple[str, ...] = ()
        self._shared: tuple[str, ...] = ()
        self._alive: tuple[str, ...] = ()
        self._views: dict[str, Consistency] = {}

    def takes(self, parcel: Parcel) -> Parcel:
        """Note what each silo signs."""
        if parcel.round == Round.CONSISTENCY:
            message = message_of(parcel)
            if isinstance(message, Consistency):
                self._views[parcel.sender] = message
        return parcel

    def sends(self, outgoing: Outgoing) -> Iterable[Outgoing]:
        """Lie to half of them, and ask that half for what it believes in."""
        if outgoing.round not in {Round.SHARE_KEYS, Round.MASKED_INPUT, Round.CONSISTENCY}:
            return [outgoing]
        message = message_of(outgoing)
        if isinstance(message, SharedKeys):
            self._shared = message.silos
        if isinstance(message, InputsReceived):
            return [self._lists(outgoing, message)]
        asked = self._asked(outgoing) if outgoing.round == Round.CONSISTENCY else []
        return [*asked, outgoing]

    def _lists(self, outgoing: Outgoing, message: InputsReceived) -> Outgoing:
        if self._alive != message.silos:  # the first letter of an epoch
            self._alive, self._views = message.silos, {}
            self._victim = self.chosen(message.silos)
            others = [name for name in message.silos if name != self._victim]
            self._told = tuple(name for name in others if self.rng.random() < 1 / 2)
        if outgoing.receiver not in self._told:
            return outgoing
        alive = tuple(name for name in message.silos if name != self._victim)
        return saying(outgoing, InputsReceived(alive))

    def _asked(self, outgoing: Outgoing) -> list[Outgoing]:
        """Ask those that were lied to, once."""
        told, self._told = self._told, ()
        alive = tuple(name for name in self._alive if name != self._victim)
        dead = tuple(name for name in self._shared if name not in alive)
        views = tuple(NamedView(n, self._views[n]) for n in told if n in self._views)
        request = UnmaskRequest(alive, dead, views)
        return [saying(replace(outgoing, receiver=name), request) for name in told]


class LedgerForker(DeviantCoordinator):
    """It shows some silos a ledger without one entry, and each half only heads that fit.

    It signs both ledgers, as only it can. Stopped: each silo goes on only with the heads of t
    silos or more that equal its own, and with 2t > K two ledgers cannot both have them. Who is in
    the smaller half leaves, LedgerRejected, naming the coordinator. Whoever holds the one ledger
    and is shown what it signed for the other sees the fork (`codef.ledger.check_head`).
    """

    def __init__(self, session: Session, rng: np.random.Generator) -> None:
        """Have shown nothing."""
        super().__init__(session, rng)
        self._fooled: tuple[str, ...] = ()
        self._other: Ledger | None = None
        self._heads: dict[str, LedgerHead] = {}

    def takes(self, parcel: Parcel) -> Parcel | None:
        """Keep the heads of those that were fooled: to the others they would be evidence."""
        if parcel.round != Round.CODEF_HEAD or parcel.sender not in self._fooled:
            return parcel
        message = message_of(parcel)
        if isinstance(message, LedgerHead):
            self._heads[parcel.sender] = message
        return None

    def sends(self, outgoing: Outgoing) -> Iterable[Outgoing]:
        """Show those that are fooled another ledger, and heads that fit."""
        if outgoing.round not in {Round.CODEF_COMMIT, Round.CODEF_HEAD}:
            return [outgoing]
        message = message_of(outgoing)
        if isinstance(message, CommittedPhase):
            return [self._phase(outgoing, message)]
        fooled = isinstance(message, LedgerHeads | Abort) and outgoing.receiver in self._fooled
        return [saying(outgoing, LedgerHeads(self._fitting()))] if fooled else [outgoing]

    def _phase(self, outgoing: Outgoing, phase: CommittedPhase) -> Outgoing:
        if self._other is None:
            self._fork(outgoing.session, phase)
        if phase.epoch or outgoing.receiver not in self._fooled:
            return outgoing
        return saying(outgoing, replace(phase, entries=phase.entries[1:]))

    def _fork(self, session: bytes, phase: CommittedPhase) -> None:
        """Choose who is fooled in the first epoch: any but the silo whose entry is missing."""
        book = self.coordinator.books[-1]
        names = [name for name in book.silos if name != phase.entries[0].name]
        self._fooled = tuple(name for name in names if self.rng.random() < 1 / 2)
        self._other = Ledger(book.ledger.roster, book.ledger.period)
        entries = tuple(
            Entry(session, n.name, *(n.entry.commitment, n.entry.releases),
                  *(n.entry.pedersen, n.entry.signature))
            for n in phase.entries[1:]
        )  # fmt: skip
        self._other.append(Phase(phase.epoch, book.session, phase.previous, entries))

    def _fitting(self) -> tuple[NamedHead, ...]:
        if self._other is None:  # pragma: no cover -- heads come after the phase
            return ()
        mine = sign_head(self._other, COORDINATOR, self.coordinator.signing_key)
        heads = {COORDINATOR: LedgerHead(mine.length, mine.hash, mine.signature), **self._heads}
        return tuple(NamedHead(name, heads[name]) for name in sorted(heads))


class Replayer(DeviantCoordinator):
    """It sends what it sent in an earlier epoch or period: as it was, and under the session of now.

    Stopped: as it was, a message is of another session, and changes nothing. Under the session of
    now its content does not fit: keys, views, entries, heads and confirmations are signed for the
    session they were made in, envelopes do not open, lists and leases are of another epoch; the
    silo leaves, with the error of the round, naming the coordinator or the silo whose words were
    used. What is the same in both epochs, as a list of the living is, is no deviation.
    """

    def __init__(self, session: Session, rng: np.random.Generator) -> None:
        """Remember nothing."""
        super().__init__(session, rng)
        self._sent: dict[tuple[str, str], Outgoing] = {}
        self._round = self.chosen([each.value for each in COORDINATOR_SENDS])

    def sends(self, outgoing: Outgoing) -> Iterable[Outgoing]:
        """Repeat the last message of this round to this silo; of one round, its content alone."""
        before = self._sent.get((outgoing.receiver, outgoing.round))
        self._sent[outgoing.receiver, outgoing.round] = outgoing
        if before is None:
            return [outgoing]
        renewed = replace(outgoing, body=before.body)
        return [before, renewed if outgoing.round == self._round else outgoing]
