"""A silo that answers, outside any session, and what a test wants to know of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collude.codef.policy import PolicySettings, ReleasePolicy, policy_of
from collude.codef.release import (
    Answerer,
    HandleTable,
    Held,
    MemoryBook,
    Responder,
    handles_of,
    sampler_of,
)
from collude.common.protocol.release_messages import Answer, Query
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy, party_seed

SILO, QUERIER, OTHER = "participant-0", "attacker", "second"
KEY = bytes(range(32))
PERSONS, ATTRIBUTES = 6, 3
SIGNING = SigningKey.from_bytes(bytes(32))


def policy_named(name: str, **change) -> tuple[PolicySettings, ReleasePolicy]:
    made = PolicySettings(name, **{"persons": 500, "silos": 4, "attributes": ATTRIBUTES, **change})
    return made, policy_of(made)


@dataclass
class Silo:
    """A responder, and what the test knows about it."""

    responder: Responder
    policy: ReleasePolicy
    book: object
    persons: int

    def lease(self, level: int = 0, slots: int | Sequence[int] = ATTRIBUTES) -> None:
        given = np.broadcast_to(np.array(slots), (self.persons,)).astype(np.int64)
        self.responder.lease(np.where(given > 0, level, -1), given)

    def ask(self, pairs, querier: str = QUERIER, epoch: int = 0) -> list[tuple[int, int]]:
        answer = self.answer(pairs, querier, epoch)
        return list(zip(answer.levels.tolist(), answer.values.tolist(), strict=True))

    def answer(self, pairs, querier: str = QUERIER, epoch: int = 0) -> Answer:
        return self.responder.answer(self.query(pairs, querier, epoch), querier)

    def query(self, pairs, querier: str = QUERIER, epoch: int = 0) -> Query:
        handles = handles_of(KEY, querier, self.persons)
        attributes = np.array([attribute for _, attribute in pairs], dtype=np.int64)
        return Query(
            epoch, b"".join(handles[person] for person, _ in pairs), attributes, last=False
        )


def silo(name: str = "information", *, book=None, held=None, party: str = SILO, **change) -> Silo:
    made, policy = policy_named(name, **change)
    held = held or Held(0, np.ones((PERSONS, ATTRIBUTES), np.int8), np.ones(PERSONS, np.bool_))
    book = MemoryBook() if book is None else book
    entropy = Entropy(party_seed(7, party), simulated=True)
    persons = len(held.present)
    tables = [HandleTable(KEY, querier, persons) for querier in (QUERIER, OTHER)]
    answerer = Answerer(party, SIGNING, entropy, book)
    responder = Responder(answerer, held, policy, sampler_of(made, policy.levels), tables)
    return Silo(responder, policy, book, persons)


EVERYTHING = [(person, attribute) for person in range(PERSONS) for attribute in range(ATTRIBUTES)]
