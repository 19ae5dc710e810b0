"""Any sequence of leases, questions and freezes, against a model that only counts."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from testkit.answering import OTHER, PERSONS, QUERIER, silo


class Histories(RuleBasedStateMachine):
    """Against a model that only counts."""

    @initialize(policy=st.sampled_from(["success", "information", "paper"]))
    def begin(self, policy: str) -> None:
        self.silo = silo(policy)
        self.known: dict[tuple[int, int], tuple[int, int]] = {}
        self.counts = [0] * PERSONS
        self.open: tuple[list[int], list[int]] | None = None
        self.new = 0

    @precondition(lambda self: self.open is None)
    @rule(data=st.data())
    def lease(self, data) -> None:
        top = len(self.silo.policy.levels) - 1
        slots = data.draw(st.lists(st.integers(0, 4), min_size=PERSONS, max_size=PERSONS))
        levels = [data.draw(st.integers(0, top)) if slot else -1 for slot in slots]
        self.silo.responder.lease(np.array(levels), np.array(slots))
        self.open, self.new = (levels, slots), 0

    @rule(
        pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), max_size=12),
        querier=st.sampled_from([QUERIER, OTHER]),
    )
    def ask(self, pairs, querier: str) -> None:
        for pair, reply in zip(pairs, self.silo.ask(pairs, querier), strict=True):
            if self.open is None:
                assert reply == (-1, 0)
            elif pair in self.known:
                assert reply == self.known[pair]
            elif self.open[1][pair[0]]:
                level = self.open[0][pair[0]]
                assert reply[0] == level
                assert reply[1] in {0, 1}
                self.open[1][pair[0]] -= 1
                self.known[pair] = reply
                self.counts[pair[0]] += self.silo.policy.charge(level)
                self.new += 1
            else:
                assert reply == (-1, 0)

    @rule()
    def freeze(self) -> None:
        frozen = self.silo.responder.freeze()
        assert frozen.counts.tolist() == self.counts
        assert max(self.counts) <= self.silo.policy.cap
        assert len(set(frozen.receipts)) == len(frozen.receipts) == self.new
        self.open = None

    @invariant()
    def the_book_holds_what_was_said(self) -> None:
        if hasattr(self, "silo"):
            assert len(self.silo.book) == len(self.known)


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=40, stateful_step_count=20)
