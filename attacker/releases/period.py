"""One period: what each silo's messages change, and what is sent to whom."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from collude.attacker.releases.game import Game
from collude.attacker.releases.link import (
    Asked,
    Link,
    Standing,
    agreed,
    rows,
    split_handles,
)
from collude.attacker.releases.proofs import check_receipts, unproved
from collude.attacker.releases.strategies.base import Questions
from collude.attacker.releases.terms import PeriodPlan
from collude.codef.release.receipts import receipt_of, release_depth
from collude.common.errors import ColludeError, LedgerForked, ProtocolViolation, ReleaseRefused
from collude.common.ids import Round
from collude.common.protocol.aborts import from_abort
from collude.common.protocol.codec import decode_message, digest_of, encode_message
from collude.common.protocol.codef_rounds import QUERIER_TAKES
from collude.common.protocol.messages import Abort
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.release_messages import WITHHELD, Answer, Query, Receipts, Window


class Period:
    """The querier's side of one period. Time is not known here."""

    def __init__(self, plan: PeriodPlan, links: Sequence[Link], querier: str) -> None:
        """Wait for the first windows."""
        self._plan, self._links, self._querier = plan, list(links), querier
        self._depth = release_depth(plan.knowledge.persons, plan.knowledge.each)
        self._questions: Questions | None = None
        self._shown: dict[int, dict[bytes, list[str]]] = {}
        self.game: Game | None = None
        self.handles, self.session = b"", b""
        self.asked_out = False
        self.notes: list[ColludeError] = []
        self.left: dict[str, ColludeError] = {}

    def standing(self, *standings: Standing) -> list[Link]:
        """Return the silos that stand so."""
        return [link for link in self._links if link.standing in standings]

    @property
    def owing(self) -> list[Link]:
        """The silos from which an answer must come."""
        return [link for link in self._links if link.owes]

    @property
    def nearly_over(self) -> bool:
        """Whether most of the silos that take part have ended the period."""
        ended = len(self.standing(Standing.OVER)) + len(self.left)
        return 2 * ended > sum(link.lives for link in self._links) + len(self.left)

    def take(self, link: Link, parcel: Parcel) -> None:
        """Take a silo's message.

        Raises:
            ProtocolViolation: it does not belong here; nothing changed.
            WireInvalid: it cannot be decoded.
            ReleaseRefused: it says what cannot be.
            IdentityRefused: an answer is not signed by the silo.
        """
        message = decode_message(parcel.body, link.name)
        if parcel.round not in QUERIER_TAKES.get(type(message), frozenset()):
            raise ProtocolViolation(
                "a message does not belong here",
                party=link.name,
                field="round",
                expected=", ".join(
                    sorted({r for rounds in QUERIER_TAKES.values() for r in rounds})
                ),
                got=f"{type(message).__name__} in {parcel.round}",
            )
        _TAKES[type(message)](self, link, message, parcel)

    def _window(self, link: Link, window: Window, parcel: Parcel) -> None:
        if not window.open:
            self._leave_unproved(link)  # a silo that was late records them with its next entry
            link.standing = Standing.OVER
            link.asked.clear()
            return
        link.opens(window, parcel, self._plan.knowledge.persons, self._plan.epochs)
        if self.game is not None and self._agrees(link):
            self.game.opened(link.index)

    def _answer(self, link: Link, answer: Answer, parcel: Parcel) -> None:
        if link.standing is Standing.OVER:
            return  # it crossed the end of the period on its way
        del parcel
        asked = link.answered(answer, self._querier, self._plan.knowledge.channel)
        if self.game is None or self._questions is None:
            return
        self.game.answer(asked.positions, answer.values, answer.levels)
        route = (link.name, self._querier)
        for position, value, level in zip(
            asked.positions.tolist(), answer.values.tolist(), answer.levels.tolist(), strict=True
        ):
            if level != WITHHELD:
                handle = self.game.handles[self._questions.handle[position]]
                attribute = int(self._questions.attribute[position])
                receipt = receipt_of(route, handle, attribute, (value, level), asked.epoch)
                link.unproved.append(receipt)

    def _unanswered(self, link: Link, abort: Abort, parcel: Parcel) -> None:
        """Take a refusal in place of an answer: its window has closed. All of it is withheld.

        Raises:
            ProtocolViolation: nothing was asked.
        """
        if parcel.round == Round.WINDOW:
            self._leave_unproved(link)
            link.standing = Standing.GONE
            link.asked.clear()
            self.left[link.name] = from_abort(abort, link.name)
            return
        if link.standing is Standing.OVER:
            return
        if not link.asked:
            raise ProtocolViolation("refuses what was not asked", party=link.name, field="answer")
        link.asked.popleft()
        self.notes.append(from_abort(abort, link.name))

    def _receipts(self, link: Link, message: Receipts, parcel: Parcel) -> None:
        del parcel
        if not link.entered < message.epoch <= link.epoch:
            raise ProtocolViolation(
                "receipts of another epoch",
                party=link.name,
                field="epoch",
                expected=f"{link.entered + 1} to {link.epoch}",
                got=message.epoch,
            )
        link.entered = message.epoch
        expected, link.unproved = link.unproved, []
        self._shown.setdefault(message.epoch, {}).setdefault(message.session, []).append(link.name)
        try:
            check_receipts(link.name, link.key, message, expected, self._depth)
        except ColludeError as error:
            self.notes.append(error)

    def agree(self) -> list[tuple[Link, ColludeError]]:
        """Fix the handles when asking begins; return who showed others, and the error."""
        self.asked_out = False
        if self.game is not None:
            return []
        opened = self.standing(Standing.OPEN)
        self.session, self.handles = agreed(opened)
        plan = self._plan
        self.game = Game(plan.knowledge, split_handles(self.handles), plan.rng)
        wrong: list[tuple[Link, ColludeError]] = []
        for link in opened:
            try:
                self._agrees(link)
            except ReleaseRefused as error:
                wrong.append((link, error))
        return wrong

    def _agrees(self, link: Link) -> bool:
        """Return whether a silo is in this period; one that is ahead of the others waits for them.

        Raises:
            ReleaseRefused: it is in this period, with other handles.
        """
        if link.session != self.session:
            link.postpone()
            return False
        if link.handles != self.handles:
            raise ReleaseRefused(
                "shows other handles than the other silos", party=link.name, field="handles"
            )
        return True

    def ask(self) -> list[Outgoing]:
        """Return the next round's queries; with the last ones the silos' windows close."""
        silos = self.standing(Standing.OPEN)
        if self.game is None or not silos:
            return []
        questions = self.game.choose(
            self._plan.strategy, [link.index for link in silos], self._epochs()
        )
        self._questions = questions
        last = self.asked_out = questions.last or not len(questions)
        queries = []
        for link in silos:
            positions = np.flatnonzero(questions.silo == link.index)
            if len(positions) or last:
                queries.append(self._query(link, questions, positions, last=last))
            if last:
                link.standing = Standing.AWAITED
        return queries

    def _query(self, link: Link, questions: Questions, positions: Any, *, last: bool) -> Outgoing:
        query = Query(
            epoch=link.epoch,
            handles=rows(self.handles, questions.handle[positions]),
            attributes=np.asarray(questions.attribute[positions], dtype=np.int64),
            last=last,
        )
        link.asked.append(Asked(digest_of(query), link.epoch, positions))
        return Outgoing(link.name, Round.QUERY.value, link.session, encode_message(query))

    def close_round(self) -> None:
        """Enter what was answered, now that no answer is awaited any more."""
        if self.game is not None:
            self.game.close_round(self._epochs())

    def _epochs(self) -> list[int]:
        by_index = {link.index: link.epoch for link in self._links}
        return [by_index[i] for i in range(len(by_index))]

    def _leave_unproved(self, link: Link) -> None:
        if link.unproved:
            said = unproved(link.name, link.epoch, len(link.unproved), "no receipts")
            self.notes.append(said)
            link.unproved = []

    def finish(self) -> None:
        """Note which answers stayed without a receipt, and who showed another ledger."""
        for link in self._links:
            self._leave_unproved(link)
        for epoch, shown in sorted(self._shown.items()):
            most = max(shown, key=lambda session: (len(shown[session]), session))
            self.notes += [
                _other_session(silo, epoch)
                for session, silos in shown.items()
                for silo in silos
                if session != most
            ]


def _other_session(silo: str, epoch: int) -> LedgerForked:
    return LedgerForked(
        "its receipts are of another phase than the other silos'",
        party=silo,
        field=f"receipts of epoch {epoch}",
    )


_TAKES: Mapping[type, Callable[[Period, Link, Any, Parcel], None]] = {
    Window: Period._window,
    Answer: Period._answer,
    Abort: Period._unanswered,
    Receipts: Period._receipts,
}
