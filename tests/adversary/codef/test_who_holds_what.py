"""No silo and no coordinator holds another silo's counts, at any moment of a period."""

from io import BytesIO

import numpy as np
import pytest
from testkit.network import Between
from testkit.object_graph import finds, needles_of
from testkit.periods import COORDINATOR, Shape, Told, federation, meet

from collude.common.net.fault_plan import FaultPlan
from collude.participant.codef.core import Frozen

SHAPE = Shape(silos=4, persons=16, epochs=2, attributes=9, numbers={"gamma": 1.0})


def planted():
    """A federation whose silos count what no two of them count, and the needles of each."""
    rng = np.random.default_rng(5)
    cap = federation(SHAPE).terms[0].policy.cap
    names = federation(SHAPE).terms[0].silos
    first = {name: rng.integers(1, cap // 2, SHAPE.persons) for name in names}
    second = {name: first[name] + rng.integers(1, cap // 2, SHAPE.persons) for name in names}
    told = {name: Told({0: [first[name], second[name]]}) for name in names}
    fed = federation(SHAPE, told)
    needles = {}
    for name in names:
        secret = fed.silos[name].core.entropy.secret
        nonces = [secret("codef/commit-nonce", epoch) for epoch in range(2)]
        needles[name] = needles_of(first[name], nonces[0]) | needles_of(second[name], nonces[1])
    # What a silo will count is in its own table already: only others' needles are looked for.
    return fed, needles


class Looking(Between):
    """Looks at everybody's session each time that one party stands in another round."""

    def __init__(self, endpoint, fed, needles, seen):
        super().__init__(endpoint)
        self._fed, self._needles, self._seen = fed, needles, seen

    def receive(self, parcel, now):
        sent = super().receive(parcel, now)
        session = self._fed.named(self.name)
        if session.round is not self._seen.get(self.name):
            self._seen[self.name] = session.round
            self._seen.setdefault("rounds", set()).add((self.name, session.round))
            others = {n: some for n, some in self._needles.items() if n != self.name}
            assert finds(session, others) == set(), (self.name, session.round)
        return sent


@pytest.mark.parametrize("crashed", [False, True])
def test_no_session_holds_anothers_counts_or_what_opens_its_commitment(crashed):
    fed, needles = planted()
    seen = {}
    hands = {
        name: lambda endpoint: Looking(endpoint, fed, needles, seen)
        for name in (*fed.silos, COORDINATOR)
    }
    plan = FaultPlan(crash={"participant-3": 0.013}) if crashed else FaultPlan()
    meet(fed, hands=hands, plan=plan)
    assert fed.coordinator.error is None
    assert len(fed.coordinator.books[0].sums) == 2
    assert len(seen["rounds"]) > 40
    for name in (*fed.silos, COORDINATOR):  # and at the end
        others = {n: some for n, some in needles.items() if n != name}
        assert finds(fed.named(name), others) == set()
    if crashed:
        assert fed.coordinator.books[0].facts[1].missing == ("participant-3",)
        assert any(which == "mask_keys" for _, _, which in fed.opened)


# --- the search can find ---------------------------------------------------------------------


def test_a_silo_is_found_to_hold_its_own_counts():
    fed, needles = planted()
    meet(fed)
    for name, session in fed.silos.items():
        assert finds(session, needles) == {name}


@pytest.mark.parametrize(
    "hide",
    [
        lambda counts: counts,
        lambda counts: counts.astype("<u4").tobytes(),
        lambda counts: {"deep": [(b"before" + counts.astype("<u8").tobytes() + b"after",)]},
        lambda counts: counts.tolist(),
        lambda counts: tuple(counts.tolist()),
        lambda counts: Frozen(counts.astype(np.uint64), (), ()),
        lambda counts: lambda: counts,
        lambda counts: BytesIO(counts.astype("<u8").tobytes()),
        lambda counts: np.stack([counts, counts])[1:],
    ],
)
@pytest.mark.parametrize("where", ["participant-1", COORDINATOR])
def test_planted_counts_are_found_wherever_they_are_hidden(hide, where):
    fed, needles = planted()
    meet(fed)
    session = fed.named(where)
    others = {"participant-2": needles["participant-2"]}
    assert finds(session, others) == set()
    counts = fed.notes["participant-2"].committed[0, 1].astype(np.int64)
    place = session.book if where != COORDINATOR else session.books[0]
    object.__setattr__(place, "terms", (place.terms, hide(counts)))
    assert finds(session, others) == {"participant-2"}


def test_a_planted_nonce_is_found():
    fed, needles = planted()
    meet(fed)
    nonce = fed.silos["participant-2"].core.entropy.secret("codef/commit-nonce", 1)
    fed.coordinator.books[0].heads.append(nonce)
    assert finds(fed.coordinator, needles) == {"participant-2"}
