"""Windows: when a silo answers, when it does not, and what becomes of answers given too late."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.network import rewrite
from testkit.periods import COORDINATOR, Shape, federation
from testkit.periods_faults import P0, P1, P2, between

from collude.attacker.releases.proofs import check_receipts
from collude.codef.policy import PolicySettings
from collude.codef.release import Answerer, MemoryBook
from collude.codef.release.receipts import receipt_of, release_depth
from collude.common.data.persons import SiloTable
from collude.common.errors import ProtocolViolation, ReleaseRefused
from collude.common.ids import Round
from collude.common.net.memory import MemoryNetwork
from collude.common.protocol import codef_messages as m
from collude.common.protocol import release_messages as r
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.messages import Abort
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.participant.codef.holdings import PersonHoldings

PERSONS, ATTRIBUTES = 6, 3
SHAPE = Shape(silos=4, persons=PERSONS, epochs=2, attributes=ATTRIBUTES, slots=2, threshold=3,
              policy="success", numbers={"max_success": 0.9}, querier="attacker")  # fmt: skip


def asked():
    """A federation whose silos hold persons, and answer about them."""
    settings = [PolicySettings("success", PERSONS, 4, ATTRIBUTES, max_success=0.9)]
    fed = federation(SHAPE)
    rng = np.random.default_rng(2)
    for session in fed.silos.values():
        core = session.core
        bits = rng.integers(0, 2, (PERSONS, ATTRIBUTES)).astype(np.int8)
        table = SiloTable(bits, np.ones(PERSONS, dtype=bool))
        answerer = Answerer(core.name, core.signing_key, core.entropy, MemoryBook())
        session.core = replace(core, holdings=PersonHoldings(answerer, [table], settings))
    return fed


class Asker:
    """A querier that asks each silo about everybody, one attribute an epoch, as soon as it may.

    Attributes:
        heard: silo -> what it said, in order.
    """

    name, deadline = "attacker", None

    def __init__(self, last=True):
        self._last = last
        self.heard: dict[str, list] = {}
        self._handles: dict[str, bytes] = {}

    @property
    def finished(self):
        return False

    def start(self, now):
        return []

    def receive(self, parcel, now):
        message = decode_message(parcel.body)
        self.heard.setdefault(parcel.sender, []).append(message)
        if not isinstance(message, r.Window) or not message.open:
            return []
        self._handles.setdefault(parcel.sender, message.handles)
        query = self.query(parcel.sender, message.epoch)
        return [Outgoing(parcel.sender, Round.QUERY.value, parcel.session, encode_message(query))]

    def query(self, silo, epoch):
        attributes = np.full(PERSONS, epoch % ATTRIBUTES, dtype=np.int64)
        return r.Query(epoch, self._handles[silo], attributes, last=self._last)

    def expire(self, now):
        return []

    def said(self, silo, kind):
        return [message for message in self.heard.get(silo, []) if isinstance(message, kind)]


def talk(fed, asker, hands=None, until=1e4):
    endpoints = [(hands or {}).get(session.name, lambda e: e)(session) for session in fed.sessions]
    network = MemoryNetwork([*endpoints, asker], np.random.default_rng(0))
    network.run(until)
    for failure in network.failures.values():
        raise failure
    return network


def test_each_silo_opens_answers_records_and_closes():
    fed, asker = asked(), Asker()
    talk(fed, asker)
    assert not any(fed.errors.values())
    for name in fed.silos:
        kinds = [type(message).__name__ for message in asker.heard[name]]
        assert kinds == ["Window", "Answer", "Receipts"] * 2 + ["Window"]
        first, second, last = asker.said(name, r.Window)
        assert len(first.handles) == 16 * PERSONS
        assert second.handles == last.handles == b""
        assert (first.open, second.open, last.open) == (True, True, False)
    total = sum((a.levels >= 0).sum() for n in fed.silos for a in asker.said(n, r.Answer))
    assert fed.coordinator.books[0].sums[-1].sum() == total > 0


def receipts_of(fed, asker, silo):
    """What its entries must hold: a receipt of each answer, epoch by epoch."""
    made = []
    for epoch, answer in enumerate(asker.said(silo, r.Answer)):
        handles = asker.query(silo, epoch).handles
        for place, (value, level) in enumerate(zip(answer.values, answer.levels, strict=True)):
            if level >= 0:
                handle = handles[16 * place : 16 * place + 16]
                answered = int(value), int(level)
                made.append(receipt_of((silo, "attacker"), handle, epoch % 3, answered, epoch))
    return made


def test_answers_of_a_silo_that_committed_too_late_are_recorded_in_the_next_epoch():
    """Else an honest silo would look like one that hides what it answered."""
    fed, asker, lost = asked(), Asker(), []

    def sends(old, message):
        if isinstance(message, m.CommitEntry) and not lost:
            lost.append(message)
            return []
        return [old]

    talk(fed, asker, {P1: between(sends)})
    assert not any(fed.errors.values())
    book = fed.coordinator.books[0]
    assert [facts.missing for facts in book.facts] == [(), (P1,), ()]
    receipts = asker.said(P1, r.Receipts)
    assert [each.epoch for each in receipts] == [1]
    expected = receipts_of(fed, asker, P1)
    assert len(expected) == len(receipts[0].places) > 0
    depth = release_depth(PERSONS, ATTRIBUTES)
    check_receipts(P1, fed.keys[P1].public, receipts[0], expected, depth)
    chained = {e.silo: e.releases for e in book.ledger.phases[1].entries}
    assert chained[P1] == receipts[0].entry.releases
    assert not fed.silos[P1].book.unrecorded


def test_a_silo_whose_window_is_open_when_the_others_commit_closes_it_and_is_left_behind():
    """Nobody told it that the asking was over. It freezes, and takes no lease in the next epoch."""
    fed, asker = asked(), Asker()

    def sends(old, message):
        if isinstance(message, r.Query) and old.receiver == P1 and message.epoch == 0:
            return [replace(old, body=encode_message(replace(message, last=False)))]
        return [old]

    network = MemoryNetwork([*fed.sessions, between(sends)(asker)], np.random.default_rng(0))
    network.run(1e4)
    assert not network.failures
    assert not any(fed.errors.values())
    # The others wait two deadlines for stragglers; by itself it would close after three.
    assert [facts.missing for facts in fed.coordinator.books[0].facts] == [(), (P1,), ()]
    first, second = asker.said(P1, r.Answer)
    assert (first.levels >= 0).any()
    assert (second.levels == -1).all()
    assert len(asker.said(P1, r.Receipts)[0].places) == (first.levels >= 0).sum()


# --- a silo alone ----------------------------------------------------------------------------


def opened():
    """P1 with its first window open, and what it said to the querier then."""
    fed = asked()
    heard = {}

    class Catches:
        name, deadline, finished = "attacker", None, False

        def start(self, now):
            return []

        def receive(self, parcel, now):
            heard.setdefault(parcel.sender, []).append(parcel)
            return []

        def expire(self, now):
            return []

    network = MemoryNetwork([*fed.sessions, Catches()], np.random.default_rng(0))
    network.run(1.0)
    session = fed.silos[P1]
    assert session.round is Round.CODEF_RELEASE
    (window,) = heard[P1]
    return session, window


def question(window, epoch=0, *, last=False, attribute=0, session=None):
    shown = decode_message(window.body)
    query = r.Query(epoch, shown.handles, np.full(PERSONS, attribute), last=last)
    body = encode_message(query)
    return Parcel(session or window.session, Round.QUERY.value, "attacker", P1, 0, body)


def answered(sent):
    (told,) = sent
    assert told.receiver == "attacker"
    return decode_message(told.body)


def test_a_window_stays_open_until_it_is_asked_out_or_idle():
    session, window = opened()
    unit = SHAPE.deadline_s
    opened_at = session.deadline - 3 * unit
    answer = answered(session.receive(question(window), opened_at + 1))
    assert isinstance(answer, r.Answer)
    assert session.deadline == opened_at + 1 + 3 * unit
    # Asking for ever keeps it open for ten deadlines.
    for step in range(2, 200):
        session.receive(question(window, attribute=step % 3), opened_at + step / 2)
    assert session.deadline == opened_at + 10 * unit
    assert session.expire(opened_at + 10 * unit - 0.1) == []
    (entry,) = session.expire(opened_at + 10 * unit)
    assert isinstance(decode_message(entry.body), m.CommitEntry)
    assert session.round is Round.CODEF_COMMIT


def test_the_last_question_closes_it():
    session, window = opened()
    told = session.receive(question(window, last=True), 1.0)
    assert [type(decode_message(each.body)) for each in told] == [r.Answer, m.CommitEntry]
    assert [each.receiver for each in told] == ["attacker", COORDINATOR]


def test_a_question_outside_the_window_is_refused_and_costs_nothing():
    session, window = opened()
    session.receive(question(window, last=True), 1.0)
    frozen = session.book.frozen.counts.copy()
    told = answered(session.receive(question(window, attribute=1), 2.0))
    assert isinstance(told, Abort)
    assert told.code == ProtocolViolation.code
    assert session.round is Round.CODEF_COMMIT
    assert np.array_equal(session.book.responder.freeze().counts, frozen)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"epoch": 1}, ProtocolViolation.code),
        ({"attribute": 99}, ReleaseRefused.code),
        ({"attribute": -1}, ReleaseRefused.code),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_and_ends_nothing(change, code):
    session, window = opened()
    told = answered(session.receive(question(window, **change), 1.0))
    assert isinstance(told, Abort)
    assert told.code == code
    assert not session.book.responder.freeze().counts.any()
    assert session.round is Round.CODEF_RELEASE
    assert session.error is None


@pytest.mark.parametrize("sender", [COORDINATOR, P0, "participant-9"])
def test_nobody_but_the_querier_asks(sender):
    session, window = opened()
    assert session.receive(replace(question(window), sender=sender), 1.0) == []
    assert len(session.refused) == 1
    assert not session.book.responder.freeze().counts.any()


@pytest.mark.parametrize("change", [{"session": bytes(32)}, {"round": "codef_release"}])
def test_a_question_of_another_session_or_round_changes_nothing(change):
    session, window = opened()
    assert session.receive(replace(question(window), **change), 1.0) == []
    assert len(session.refused) == 1


def test_the_querier_cannot_end_a_silo_by_sending_junk():
    session, window = opened()
    for number in range(1200):
        parcel = Parcel(b"", "query", "attacker", P1, number, b"\xff")
        assert session.receive(parcel, 1.0) == []
    assert session.error is None
    abort = Abort("E-PROTOCOL", "attacker", "", "", "", "go away", "")
    session.receive(replace(question(window), body=encode_message(abort)), 1.0)
    assert session.error is None
    assert isinstance(answered(session.receive(question(window), 1.0)), r.Answer)


def test_junk_of_the_querier_does_not_use_up_what_the_coordinator_is_forgiven():
    session, window = opened()
    for number in range(1200):
        session.receive(Parcel(b"", "query", "attacker", P1, number, b"\xff"), 1.0)
        session.receive(question(window, epoch=1), 1.0)
    for number in range(400):
        session.receive(Parcel(b"", "codef_head", COORDINATOR, P1, number, b"\xff"), 1.0)
    assert session.error is None
    for number in range(400, 1200):
        session.receive(Parcel(b"", "codef_head", COORDINATOR, P1, number, b"\xff"), 1.0)
    assert session.error.party == COORDINATOR


def test_the_querier_is_told_when_a_period_ends_early():
    fed, asker = asked(), Asker()
    hands = {name: between(rewrite(m.LedgerHead, lambda _: None)) for name in (P0, P2)}
    talk(fed, asker, hands)
    assert fed.coordinator.round is Round.ABORTED
    for name in fed.silos:
        assert asker.said(name, Abort), "it does not wait for my next window"
