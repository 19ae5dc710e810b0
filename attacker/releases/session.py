"""The querier's whole session: period after period, window after window. No input or output.

In `WINDOW` it waits until every silo has opened its next window or ended the period. In `QUERY`
the strategy asks, round by round: the next questions are chosen when all answers are there. A silo
that is silent past its deadline is given up for the period; one that sends what must not be is
refused for good. Both are noted by name, and the others go on.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from collude.attacker.releases.link import Link, Standing
from collude.attacker.releases.period import Period
from collude.attacker.releases.terms import GRACE, WAITS, PeriodPlan, QuerierTerms
from collude.attacker.releases.view import ReleaseView
from collude.common.errors import ColludeError, DeadlineExceeded, ProtocolViolation, RemoteError
from collude.common.ids import Round
from collude.common.protocol.parcel import Outgoing, Parcel

MOST_STRAY = 32
"""Messages that do not belong, of one silo: with more it is refused. Kept early ones count too."""


@dataclass(frozen=True, eq=False)
class PeriodResult:
    """What came of one period.

    Attributes:
        view: what was heard, or None if no window opened.
        asked: questions, whether answered or withheld.
        notes: what was wrong and stopped nothing: answers without a valid receipt, by silo.
    """

    view: ReleaseView | None
    asked: int
    notes: tuple[ColludeError, ...]


class QuerierSession:
    """The querier. An `Endpoint`: parcels in, messages out.

    Attributes:
        round: `WINDOW`, `QUERY` or `DONE`.
        results: of the periods that are over.
        given_up: silo -> why it was not waited for any more, the last time.
        refused: silo -> what it sent.
        strays: messages that did not belong and changed nothing.
    """

    def __init__(self, terms: QuerierTerms, plans: Sequence[PeriodPlan]) -> None:
        """Stand before the first window of the first period.

        Raises:
            ParameterInvalid: a plan knows other silos than the terms.
        """
        for plan in plans:
            plan.check(terms)
        self._terms, self._plans = terms, list(plans)
        self._links = {name: Link(name, 0, key) for name, key in sorted(terms.silos.items())}
        self._period: Period | None = None
        self._deadline: float | None = None
        self.round = Round.WINDOW
        self.results: list[PeriodResult] = []
        self.given_up: dict[str, ColludeError] = {}
        self.refused: dict[str, ColludeError] = {}
        self.strays: list[ColludeError] = []
        self._stray_of: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """The querier's name."""
        return self._terms.name

    @property
    def deadline(self) -> float | None:
        """When it stops waiting, in seconds; None when it is done."""
        return self._deadline

    @property
    def finished(self) -> bool:
        """Whether all periods are over."""
        return self.round is Round.DONE

    def start(self, now: float) -> Sequence[Outgoing]:
        """Wait for the first windows; the silos come by themselves."""
        self._begin(now)
        return self._advance(now)

    def receive(self, parcel: Parcel, now: float) -> Sequence[Outgoing]:
        """Take one parcel; what does not belong is noted and changes nothing."""
        link = self._links.get(parcel.sender)
        if link is None:
            self.strays.append(
                ProtocolViolation(
                    "a message of a party that is not asked",
                    party=parcel.sender,
                    field="sender",
                    expected=" or ".join(self._links),
                    got=parcel.sender,
                )
            )
            return []
        if self.finished or self._period is None or link.standing is Standing.REFUSED:
            return []
        self._accept(link, parcel)
        return self._advance(now)

    def expire(self, now: float) -> Sequence[Outgoing]:
        """Give up whoever is waited for."""
        if self._deadline is None or now < self._deadline or self._period is None:
            return []
        asking = self.round is Round.QUERY
        period = self._period
        for link in period.owing if asking else period.standing(Standing.AWAITED):
            self._give_up(
                link,
                DeadlineExceeded(
                    "an answer did not come" if asking else "its window did not open in time",
                    party=link.name,
                    field="deadline_s",
                    expected=f"within {WAITS[self.round]:g} times {self._terms.deadline_s:g} s",
                ),
            )
        return self._advance(now)

    def lose(self, silo: str, error: ColludeError, now: float) -> Sequence[Outgoing]:
        """Give up a silo for a reason from outside: it cannot be reached."""
        link = self._links[silo]
        if self.finished or not link.lives:
            return []
        self._give_up(link, error)
        return self._advance(now)

    def _give_up(self, link: Link, error: ColludeError) -> None:
        link.standing = Standing.GONE
        link.asked.clear()
        self.given_up[link.name] = error

    def _refuse(self, link: Link, error: ColludeError) -> None:
        link.standing = Standing.REFUSED
        link.asked.clear()
        link.early.clear()
        self.refused[link.name] = error

    def _accept(self, link: Link, parcel: Parcel) -> None:
        """Take a parcel now, or keep it for the period that it belongs to."""
        if self._period is None:
            return
        waits = link.standing in {Standing.OVER, Standing.GONE}
        if link.early or (waits and parcel.round == Round.WINDOW):
            link.early.append(parcel)
            if len(link.early) > MOST_STRAY:
                self._refuse(link, _too_many(link.name))
            return
        if link.standing is Standing.GONE:
            return  # late for this period
        try:
            self._period.take(link, parcel)
            self.given_up |= self._period.left
        except ProtocolViolation as error:
            self.strays.append(error)
            self._stray_of[link.name] += 1
            if self._stray_of[link.name] > MOST_STRAY:
                self._refuse(link, _too_many(link.name))
        except RemoteError as error:
            self._refuse(link, error)

    def _begin(self, now: float) -> None:
        if len(self.results) == len(self._plans):
            self.round, self._deadline, self._period = Round.DONE, None, None
            return
        plan = self._plans[len(self.results)]
        index = {name: i for i, name in enumerate(plan.knowledge.silos)}
        self._period = Period(plan, list(self._links.values()), self.name)
        kept = [(link, link.begin(index[name])) for name, link in self._links.items()]
        self._wait(now)
        for link, parcels in kept:
            for parcel in parcels:
                self._accept(link, parcel)

    def _wait(self, now: float) -> None:
        self.round = Round.WINDOW
        self._deadline = now + WAITS[Round.WINDOW] * self._terms.deadline_s

    def _advance(self, now: float) -> list[Outgoing]:
        """Go on as far as can be without another message; return what is to be sent."""
        sent: list[Outgoing] = []
        while (period := self._period) is not None:
            if self.round is Round.QUERY:
                if period.owing:
                    return sent
                period.close_round()
                if period.asked_out or not period.standing(Standing.OPEN):
                    self._wait(now)
                    continue
                sent += period.ask()
                self._deadline = now + WAITS[Round.QUERY] * self._terms.deadline_s
            elif period.standing(Standing.AWAITED):
                self._hurry(period, now)
                return sent
            else:
                self._open_or_end(period, now)
        return sent

    def _hurry(self, period: Period, now: float) -> None:
        """Wait for the last ones no longer than the others' windows stay open unasked."""
        if self._deadline is not None and (period.standing(Standing.OPEN) or period.nearly_over):
            self._deadline = min(self._deadline, now + GRACE * self._terms.deadline_s)

    def _open_or_end(self, period: Period, now: float) -> None:
        if period.standing(Standing.OPEN):
            for link, error in period.agree():
                self._refuse(link, error)
            self.round = Round.QUERY
            return
        period.finish()
        game = period.game
        result = PeriodResult(
            game.view if game else None, game.asked if game else 0, tuple(period.notes)
        )
        self.results.append(result)
        self._begin(now)


def _too_many(silo: str) -> ProtocolViolation:
    return ProtocolViolation(
        "sent too much that does not belong",
        party=silo,
        field="parcels",
        expected=f"at most {MOST_STRAY}",
    )
