"""Who answers a querier: under the lease, each question once, and counted before it is sent.

Whether something is answered depends on leases and questions alone, never on what the answer
would be. So a refusal tells nothing.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from collude.codef.numeric.checks import refuse
from collude.codef.policy import ReleasePolicy
from collude.codef.release.bits import AnswerBits
from collude.codef.release.book import AnswerBook, Remembered
from collude.codef.release.handles import HandleTable
from collude.codef.release.held import Held
from collude.codef.release.lease import Lease, checked_lease
from collude.codef.release.questions import questions_of
from collude.codef.release.receipts import receipt_of
from collude.codef.release.samplers import Sampler
from collude.codef.release.signing import signed_answer
from collude.common.protocol.release_messages import HANDLE_BYTES, WITHHELD, Answer, Query
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy
from collude.common.secret import Secret

Counts = NDArray[np.uint64]
Question = tuple[int, int]
"""A person and an attribute."""
Reply = tuple[int, int]
"""A level and a value."""


@dataclass(frozen=True, repr=False)
class Answerer(Secret):
    """The silo that answers.

    Attributes:
        name: of the silo.
        signing_key: as the roster pins it.
        entropy: its own source of randomness.
        book: what it has answered before.
    """

    name: str
    signing_key: SigningKey
    entropy: Entropy
    book: AnswerBook


@dataclass(frozen=True, eq=False, repr=False)
class Frozen(Secret):
    """What a silo commits to at the end of an epoch.

    Attributes:
        counts: v_i, (n,) uint64: what was charged about each person in the period so far.
        receipts: 32 bytes for each first-time answer of the epoch, in the order of answering.
        queriers: to whom each of them was given.
    """

    counts: Counts
    receipts: tuple[bytes, ...]
    queriers: tuple[str, ...]


@dataclass
class _Batch:
    """What is new in one query, until it is on the disk."""

    drawn: dict[Question, Reply] = field(default_factory=dict)
    taken: Counter[int] = field(default_factory=Counter)


class Responder(Secret):
    """One silo's answers in one period, to all queriers. A session serves queries one by one."""

    def __init__(
        self,
        silo: Answerer,
        held: Held,
        policy: ReleasePolicy,
        sampler: Sampler,
        tables: Sequence[HandleTable],
    ) -> None:
        """Begin a period in which nothing was answered and no lease is held.

        Args:
            silo: who answers.
            held: about whom, n persons and m attributes.
            policy: what an answer is charged, and the levels that a lease may name.
            sampler: how an answer is drawn at a level.
            tables: of the queriers, for n persons each.
        """
        self._silo, self._held, self._policy, self._sampler = silo, held, policy, sampler
        self._tables = {table.querier: table for table in tables}
        self._bits = AnswerBits(silo.entropy, held.cohort)
        self._charges = tuple(map(policy.charge, range(len(policy.levels))))
        self._persons, self._attributes = held.attributes.shape
        self._counts = np.zeros(self._persons, dtype=np.int64)
        self._used = np.zeros(self._persons, dtype=np.int64)
        self._receipts: list[tuple[bytes, str]] = []
        self._lease: Lease | None = None

    @property
    def handles(self) -> bytes:
        """The handles of the only querier, ascending; empty where nobody may ask."""
        return self._tables[self._only()].handles if self._tables else b""

    def handles_for(self, querier: str) -> bytes:
        """Return a querier's handles, 16 bytes each, ascending."""
        return self._tables[querier].handles

    def lease(self, levels: NDArray[np.int64], slots: NDArray[np.int64]) -> None:
        """Hold a new lease, which allows so many first-time answers from now on.

        Raises:
            PeriodAborted: it is no lease of the policy.
            ParameterInvalid: the one before was not frozen.
        """
        if self._lease is not None:
            refuse("lease", "given after the one before was frozen", "given while it is open")
        self._lease = checked_lease(levels, slots, self._persons, len(self._charges) - 1)
        self._used[:] = 0
        self._receipts = []

    def answer(self, query: Query, querier: str | None = None) -> Answer:
        """Return the signed answer to a query; new answers are in the book before it returns.

        A question that was answered before, to anybody, gets the same value at the level of then,
        and costs nothing: it tells nothing new. It is repeated also where the lease withholds.
        While no lease is held everything is withheld. The caller checks the query's epoch.

        Args:
            query: pairs of a handle and an attribute.
            querier: who asks; may be left out where only one may.

        Raises:
            ReleaseRefused: the query cannot be answered as it stands; names querier and field.
                Nothing was answered, drawn or charged.
            DataInvalid: the book could not be written; the same.
        """
        asker = querier or self._only()
        most = self._persons * self._attributes
        questions = questions_of(query, self._tables[asker], self._attributes, most)
        batch = _Batch()
        replies = [self._reply(question, batch) for question in questions]
        self._keep(batch)
        self._record(query, asker, questions, batch)
        levels, values = np.array(replies, dtype=np.int64).reshape(-1, 2).T.copy()
        route = (self._silo.name, asker)
        return signed_answer(route, query, values, levels, self._silo.signing_key)

    def freeze(self) -> Frozen:
        """Close the lease and return what is committed to; nothing is answered until the next."""
        self._lease = None
        counts = self._counts.astype(np.uint64)
        receipts, queriers = zip(*self._receipts, strict=True) if self._receipts else ((), ())
        return Frozen(counts, receipts, queriers)

    def _only(self) -> str:
        if len(self._tables) != 1:
            refuse("querier", "named where not exactly one may ask", len(self._tables))
        return next(iter(self._tables))

    def _reply(self, question: Question, batch: _Batch) -> Reply:
        if self._lease is None:
            return WITHHELD, 0
        known = batch.drawn.get(question) or self._silo.book.known(self._held.cohort, *question)
        if known is None and (level := self._level(question[0], batch)) != WITHHELD:
            known = batch.drawn[question] = (level, self._draw(question, level))
            batch.taken[question[0]] += 1
        return known or (WITHHELD, 0)

    def _level(self, person: int, batch: _Batch) -> int:
        """Return the level of one more answer about a person, -1 if there may be none."""
        lease, taken = self._lease, batch.taken[person]
        if lease is None or self._used[person] + taken >= lease.slots[person]:
            return WITHHELD
        level = int(lease.levels[person])
        # All new answers of a batch are under one lease, so at one level.
        charged = self._counts[person] + (taken + 1) * self._charges[level]
        return level if charged <= self._policy.cap else WITHHELD

    def _draw(self, question: Question, level: int) -> int:
        bits = self._bits.stream(*question)
        known = bool(self._held.present[question[0]])
        bit = int(self._held.attributes[question]) if known else bits.bits(1)
        return self._sampler.draw(bit, level, bits)

    def _keep(self, batch: _Batch) -> None:
        cohort, drawn = self._held.cohort, batch.drawn.items()
        self._silo.book.keep([Remembered(cohort, *asked, *reply) for asked, reply in drawn])
        for (person, _), (level, _) in drawn:
            self._used[person] += 1
            self._counts[person] += self._charges[level]

    def _record(
        self, query: Query, querier: str, questions: Sequence[Question], batch: _Batch
    ) -> None:
        """Make a receipt of each new answer."""
        route, new = (self._silo.name, querier), dict(batch.drawn)
        for at, question in enumerate(questions):
            if question not in new:
                continue
            level, value = new.pop(question)
            handle = query.handles[at * HANDLE_BYTES : (at + 1) * HANDLE_BYTES]
            receipt = receipt_of(route, handle, question[1], (value, level), query.epoch)
            self._receipts.append((receipt, querier))
