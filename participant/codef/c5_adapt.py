"""Leases, silo's side: what it may answer until the next count. Nothing grants more."""

from collections.abc import Sequence
from typing import NoReturn, cast

import numpy as np

from collude.codef.period.leases import first_leases, most_leases
from collude.codef.policy import Lot, lease_charges
from collude.common.errors import PeriodAborted, ProtocolViolation
from collude.common.ids import COORDINATOR, Round
from collude.common.protocol.codef_messages import Adapt
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.release_messages import WITHHELD
from collude.participant.codef.book import SiloBook
from collude.participant.codef.c2_release import ReleaseState
from collude.participant.codef.state import State


class LeaseState:
    """Waiting for the first lease."""

    round = Round.CODEF_ADAPT

    def __init__(self, book: SiloBook) -> None:
        """Keep what is known."""
        self.book = book
        self.session = book.session

    def opening(self) -> Sequence[AnyMessage]:
        """Send nothing: the lease comes with the confirmations."""
        return []

    def receive(self, message: AnyMessage) -> State:
        """Take the first lease."""
        return adapt(self.book, cast(Adapt, message), 0)


def adapt(book: SiloBook, message: Adapt, epoch: int) -> State:
    """Return the state under a new lease, in a new window or at the period's end.

    Raises:
        PeriodAborted: the lease is not what it can be.
    """
    _check(book, message, epoch)
    book.lease = message.levels, message.slots
    if epoch and not book.opened:  # nobody signed to me who else is leased something
        book.lease = np.full_like(message.levels, WITHHELD), np.zeros_like(message.slots)
    book.epoch, book.summed, book.opened = epoch, (), False
    book.responder.lease(*book.lease)
    return EndState(book) if message.last else ReleaseState(book)


class EndState:
    """The period is over; its last lease is in the book."""

    round = Round.DONE
    session = b""

    def __init__(self, book: SiloBook) -> None:
        """Keep the book."""
        self.book = book

    def opening(self) -> Sequence[AnyMessage]:
        """Send nothing."""
        return []

    def receive(self, _message: AnyMessage) -> State:
        """Refuse.

        Raises:
            ProtocolViolation: always.
        """
        raise ProtocolViolation("the period is over", party=COORDINATOR, field="kind")


def _refuse(field: str, reason: str, expected: object, got: object) -> NoReturn:
    field = f"codef_adapt/{field}"
    raise PeriodAborted(reason, party=COORDINATOR, field=field, expected=expected, got=got)


def _check(book: SiloBook, message: Adapt, epoch: int) -> None:
    terms, levels, slots = book.terms, message.levels, message.slots
    if message.epoch != epoch:
        _refuse("epoch", "a lease of another epoch", epoch, message.epoch)
    if message.last != (epoch == terms.epochs):
        _refuse("last", "the period ends at another epoch", terms.epochs, epoch)
    if levels.shape != (terms.persons,) or slots.shape != (terms.persons,):
        got = f"{levels.shape} levels, {slots.shape} slots"
        _refuse("levels", "a lease is not one for each person", terms.persons, got)
    most = len(terms.policy.levels) - 1
    if ((levels < WITHHELD) | (levels > most)).any():
        _refuse("levels", "a level is none of the policy's", f"-1 to {most}", "another")
    if ((slots < 0) | (slots > terms.slots) | ((levels == WITHHELD) & (slots > 0))).any():
        _refuse("slots", "slots are not what a lease allows", f"0 to {terms.slots}", "others")
    _check_counted(book, message)
    if epoch == 0:
        _check_first(book, message)
    elif book.opened and terms.policy.leased:
        _check_most(book, message)


def _check_counted(book: SiloBook, message: Adapt) -> None:
    """Nobody is leased anything but who is in the sum that it helped to open."""
    counted, among = message.counted, set(message.counted)
    known = tuple(silo for silo in book.silos if silo in among)
    if counted != known or len(counted) < book.terms.least:
        expected = f"{book.terms.least} or more of {', '.join(book.silos)}"
        _refuse("counted", "a list of silos is none of this period", expected, _names(counted))
    if message.epoch == 0:
        return
    if book.summed and counted != book.summed:
        reason = "the silos counted are not those in the sum that I was shown"
        _refuse("counted", reason, _names(book.summed), _names(counted))
    if not book.summed and (book.core.name in among or (message.levels != WITHHELD).any()):
        reason = "I am in no sum of this epoch, and am leased something"
        _refuse("counted", reason, "nothing", "a lease")


def _names(silos: Sequence[str]) -> str:
    return ", ".join(silos) or "none"


def _check_first(book: SiloBook, message: Adapt) -> None:
    """Nothing was spent yet, so that the first lease follows from the terms."""
    expected = first_leases(book.terms, book.session, book.silos).get(book.core.name)
    got = message.levels, message.slots
    if expected is None or not all(map(np.array_equal, expected, got)):
        _refuse("levels", "the first lease is not what the policy gives", "that", "another")


def _check_most(book: SiloBook, message: Adapt) -> None:
    """What was spent is the coordinator's word; that it was nothing is the most it can say."""
    policy, me = book.terms.policy, book.core.name
    most = most_leases(book.terms, book.session, message.counted, message.epoch)[me]
    charged = lease_charges(policy, Lot(message.levels, message.slots))
    if (charged > lease_charges(policy, Lot(*most))).any():
        reason = "a lease is worth more than if nothing had been spent"
        _refuse("slots", reason, "that at most", "more")
